import Foundation
import StoreFiles
import StoreHelpers
import StoreProtocol

/// The write path of a save.
extension StoreCore {
  /// Runs a save, with the files of large values that it writes and releases, or with `nil` if no
  /// value can be in a file.
  func withFiles<Value>(_ body: (ValueFileBatch?) throws -> (Value, Written)) throws -> Value {
    guard let rowFiles else { return try body(nil).0 }
    let files = ValueFileBatch(rowFiles, threshold: configuration.externalStorageThreshold)
    do {
      let (value, written) = try body(files)
      // Until then, a loss of power may restore rows that name the files.
      files.commit(isDurable: configuration.durability == .full || written == .document)
      return value
    } catch {
      files.rollBack(after: error)
      throw error
    }
  }

  /// The file to which a save was written.
  enum Written {
    case journal, document
  }

  /// Writes a save to the journal or as a document, and then changes the rows.
  ///
  /// - Parameters:
  ///   - record: A closure that returns the journal record of the save.
  ///   - save: The identifier of the save.
  ///   - inner: The state and the files.
  ///   - checkpointsImmediately: Whether the journal would be checkpointed after the record. Then the document
  ///     is written with the save in it, and the journal takes the save only if that failed.
  ///   - change: A closure that applies the save to the rows.
  /// - Returns: The file to which the save was written.
  /// - Throws: `notSaved` if the save is stored nowhere, even after a kill or a loss of power;
  ///   `outcomeUnknown` if that could not be ensured. Then no row is changed.
  @discardableResult
  func write(
    _ record: () -> [UInt8],
    of save: UUID,
    _ inner: inout Inner,
    checkpointsImmediately: Bool = false,
    _ change: (inout StoreState) -> Void
  ) throws -> Written {
    if checkpointsImmediately || !configuration.usesJournal,
      try writeDocument(of: save, &inner, orRefuses: configuration.usesJournal, change)
    {
      return .document
    }
    let isAppended: Bool?
    do throws(ReplacementError) {
      isAppended = try inner.files?.append(
        record(),
        store: identifier,
        upTo: configuration.maximumDocumentSize,
        isSynced: inner.unsynced == nil
      )
    } catch {
      throw try refusal(of: save, error, &inner)
    }
    guard isAppended == true else {
      _ = try writeDocument(of: save, &inner, orRefuses: false, change)
      return .document
    }
    change(&inner.state)
    return .journal
  }

  /// Replaces the document and its journal by a document that contains a save.
  ///
  /// It returns `false` if the system failed and the journal can take the save instead
  /// (`orRefuses`).
  private func writeDocument(
    of save: UUID,
    _ inner: inout Inner,
    orRefuses: Bool,
    _ change: (inout StoreState) -> Void
  ) throws -> Bool {
    var state = inner.state
    change(&state)
    do throws(ReplacementError) {
      try replaceDocument(by: state, &inner)
    } catch {
      if orRefuses, case .unchanged = error { return false }
      throw try refusal(of: save, error, &inner)
    }
    inner.state = state
    noteCheckpoint(&inner)
    return true
  }

  /// Returns the error of a save whose write failed, after it is certain that nothing is stored.
  ///
  /// - Throws: `outcomeUnknown` if that is not certain.
  private func refusal(
    of save: UUID,
    _ error: ReplacementError,
    _ inner: inout Inner
  ) throws -> DataStoreError {
    if case .unknown = error {
      inner.unresolvedFailure = UnresolvedFailure(save: save)
      try resolveIndeterminateSave(&inner)
    }
    return StoreErrors.notSaved(error.cause)
  }

  /// Determines the state of the files after a failure that left it unknown.
  ///
  /// The file descriptors of the failure are not reused: the system drops data that could not be
  /// written, and a second sync would succeed without it (RELIABILITY.md, finding 5).
  ///
  /// The document then has the rows in memory: those of the saves of a group, and not those of a save
  /// that failed.
  ///
  /// - Throws: `outcomeUnknown` if the system fails; `notSaved` before a save other than the
  ///   indeterminate ones.
  func resolveIndeterminateSave(_ inner: inout Inner, before save: UUID? = nil) throws {
    guard let unresolvedFailure = inner.unresolvedFailure else { return }
    do {
      guard let files = inner.files else { throw StoreErrors.closed(path) }
      try files.checkFiles()
      try checkpoint(&inner)
    } catch {
      let isOther =
        save.map { !unresolvedFailure.concerns($0) } ?? !unresolvedFailure.isIndeterminate
      guard isOther else { throw StoreErrors.unknown(path, cause: error) }
      throw StoreErrors.notBegun(path, cause: error)
    }
    inner.unresolvedFailure = nil
    inner.recovered = unresolvedFailure.recovered(after: inner.recovered)
    guard let refused = unresolvedFailure.save else { return }
    inner.refused = inner.refused.suffix(UnresolvedFailure.mostRemembered - 1) + [refused]
  }
}

// A save that comes alone is synced before it is applied to the rows in memory, so that it can be
// refused. The records of a group are appended one by one, and each is applied at once, which only the
// group sees. They are then synced together. If that fails, the rows in memory become the document.

extension StoreCore: GroupCommitting {
  typealias Transaction = Inner
  typealias Request = UUID?

  /// Runs a body that changes the store, and makes its saves durable.
  ///
  /// - Parameters:
  ///   - first: The save that may follow its own unknown outcome, or `nil` for other changes.
  ///   - body: The changes.
  /// - Returns: The result of the body.
  /// - Throws: The errors of the body; `storeReplaced`, and then nothing is changed; `outcomeUnknown`.
  @discardableResult
  func transaction<Value: Sendable>(
    of first: UUID? = nil,
    _ body: (inout Inner) throws -> Value
  ) throws -> Value {
    try checkProcess()
    return try inner.withLock { inner in
      guard inner.files != nil else { throw StoreErrors.closed(path) }
      guard configuration.allowsSave else { throw StoreErrors.readOnly(path) }
      if inner.unresolvedFailure != nil { try resolveIndeterminateSave(&inner, before: first) }
      try inner.files?.checkFiles()
      defer { inner.unsynced = nil }
      let value = try body(&inner)
      if let saves = inner.unsynced, !saves.isEmpty { try sync(saves, &inner) }
      if inner.files?.journal?.size ?? 0 > inner.checkpointAbove
        || rowFiles?.shouldBecomeDurable == true
      {
        checkpointLargeJournal(&inner)
      }
      return value
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
  /// - Throws: `outcomeUnknown` if the system fails, or if the files were replaced.
  private func sync(
    _ saves: [UUID: StoreChangesResult],
    _ inner: inout Inner
  ) throws {
    if inner.unresolvedFailure == nil {
      do {
        // The others may have come after the check of the files before the first one.
        if saves.count > 1 { try inner.files?.checkFiles() }
        try inner.files?.syncJournal()
        return
      } catch {
        inner.unresolvedFailure = UnresolvedFailure(save: nil)
      }
    }
    inner.unresolvedFailure?.group = saves
    try resolveIndeterminateSave(&inner)
  }
}
