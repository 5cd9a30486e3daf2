import Foundation
import StoreFiles
import StoreHelpers
import StoreProtocol

// A save that comes alone is synced before it is applied to the rows in memory, so that it can be
// refused. The records of a group are appended one by one, and each is applied at once, which only the
// group sees. They are then synced together. If that fails, the rows in memory become the document.

extension StoreCore: GroupCommitting {
  func transaction(of first: UUID, _ body: (inout Inner) throws -> Void) throws {
    try withOpenStore(before: first) { inner in
      defer { inner.unsynced = nil }
      try body(&inner)
      try syncGroup(&inner)
      checkpointIfLarge(&inner)
    }
  }

  func hasRoom(in inner: Inner) -> Bool {
    inner.unsynced != nil && inner.unresolvedFailure == nil
  }

  func add(to inner: inout Inner, _ save: (inout Inner) throws -> Void) throws {
    // A save changes nothing before its record is written.
    try save(&inner)
  }

  /// Makes the saves of a group durable.
  ///
  /// - Throws: `outcomeUnknown` if the system fails.
  private func syncGroup(_ inner: inout Inner) throws {
    guard let saves = inner.unsynced, !saves.isEmpty else { return }
    if inner.unresolvedFailure == nil {
      do throws(ReplacementError) {
        try inner.files?.syncJournal()
        return
      } catch {
        inner.unresolvedFailure = UnresolvedFailure(save: nil, cause: error.cause)
      }
    }
    inner.unresolvedFailure?.group = saves
    try resolveIndeterminateSave(&inner)
  }
}
