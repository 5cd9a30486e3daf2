import Foundation
import StoreProtocol
import StoreTestSupport

@testable import JSONFileStore
@testable import StoreFiles

/// What several tests need to know that the store's interface does not offer.
extension JSONFileStore {
  /// A new name for a file with a value of this store.
  func newValueFileName() -> String {
    ValueFileNaming(store: identifier).newName()
  }

  /// The most problems that a verification lists.
  static var mostProblems: Int { StoreVerification.mostProblems }

  /// The first record of a journal, with the given header.
  static func firstRecord(ofJournal header: String) -> Data {
    Data(JournalFrame.framed(Array(header.utf8), salt: JournalHeader.salt, number: 0))
  }

  /// Whether groups by these values are computed once for each referenced row.
  func hasOwnGroups(_ keys: [QueryExpression], of query: StoreQuery) throws -> Bool {
    let view = try ReadView(core)
    let selection = StoreSelection(query, groups: keys, columns: [.count])
    guard let source = try view.rows(query).first?.source else { return false }
    return try ColumnGroups(selection, source, view) != nil
  }
}

extension JSONFileStore: GroupedStore {
  /// The number of saves that wait for another one.
  package var waitingSaves: Int { core.group.waitingCount }

  /// Runs code while all saves wait for it, without the lock of the store's state.
  package func betweenSaves<Result>(_ body: () throws -> Result) rethrows -> Result {
    try core.group.alone(body)
  }
}
