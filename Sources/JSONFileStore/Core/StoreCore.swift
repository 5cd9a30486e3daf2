import Foundation
import StoreFiles
import StoreHelpers
import StoreProtocol
import Synchronization

/// The single open store of a document in this process, shared by all stores that name it.
///
/// States:
/// - open;
/// - indeterminate, after a failure that left the state of the files unknown. The lock is kept, and
///   the next use first replaces the document by the rows in memory, without the save that failed.
///   If that fails too, nothing is read or written;
/// - closed: all work is rejected, and the document can be opened again.
final class StoreCore: Sendable {
  let identifier: String
  let schema: Schema
  let map: TableMap
  let path: String
  /// The configuration with which the store was opened first.
  let configuration: JSONFileStoreConfiguration
  /// The files of large values.
  let valueFiles: ValueFiles
  /// The files of large values, or `nil` if no value of the schema can be in a file.
  var rowFiles: ValueFiles? { map.hasFiles ? valueFiles : nil }

  private let schemaText: [UInt8]
  private let formats: [RowFormat]
  let process = ProcessMark.current
  let inner: Mutex<Inner>
  let group = GroupCommit<StoreCore>()
  private let held: HeldStates<StoreState>
  private let successor = Mutex<StoreCore?>(nil)

  struct Inner {
    var state: StoreState
    /// The files, or `nil` if the store was closed.
    var files: StoreFolder?
    /// The unresolved failure, or `nil` if the state of the files is certain.
    var unresolvedFailure: UnresolvedFailure?
    /// The last saves that were indeterminate and proved not to be stored.
    var refused: [UUID] = []
    /// The last results of saves that were indeterminate and were then stored.
    var recovered: [UUID: StoreChangesResult] = [:]
    /// The results of the saves whose records are not synced yet, or `nil` if each record is synced
    /// at once.
    var unsynced: [UUID: StoreChangesResult]?
    /// Whether the document has the layout that the store writes.
    var hasLayout: Bool
    /// The size of the journal up to which no checkpoint is due.
    var checkpointAbove: Int
    /// Whether a background checkpoint is running.
    var isCheckpointingInBackground = false
  }

  /// The open stores of this process.
  static let shared = SharedStores<StoreCore>()

  init(
    _ opened: OpenedStore,
    _ configuration: JSONFileStoreConfiguration,
    _ held: HeldStates<StoreState> = HeldStates()
  ) throws {
    self.held = held
    identifier = opened.identifier
    schema = opened.schema
    map = opened.map
    path = configuration.path
    self.configuration = configuration
    valueFiles = opened.valueFiles
    schemaText = opened.schemaText
    formats = opened.state.tables.map { RowFormat($0.entity) }
    inner = Mutex(
      Inner(
        state: opened.state,
        files: opened.files,
        unresolvedFailure: opened.postponed,
        hasLayout: opened.hasLayout,
        checkpointAbove: Self.journalLimit(configuration, beside: opened.files.document)
      )
    )
  }

  deinit {
    try? close()
  }

  /// The store that was opened for writing in place of this one, or this one.
  var current: StoreCore { successor.withLock { $0 }?.current ?? self }

  /// Replaces this store, which is open for reading, by one that is opened for writing.
  ///
  /// Two locks of one process exclude each other as those of two processes do. This one is released
  /// during the opening, and taken again if that throws. If another process wrote meanwhile, this
  /// store is then closed, because its rows are not those of the files.
  ///
  /// - Parameter open: A function that opens the other store, with the states that threads hold.
  /// - Returns: The other store.
  /// - Throws: The errors of `open`.
  func replaced(by open: (HeldStates<StoreState>) throws -> StoreCore) throws -> StoreCore {
    let lock = inner.withLock { $0.files?.lock }
    lock?.release()
    do {
      let store = try open(held)
      successor.withLock { $0 = store }
      inner.withLock { $0.files = nil }
      return store
    } catch {
      inner.withLock { inner in
        guard lock?.takeAgain() != false, (try? inner.files?.checkFiles()) != nil else {
          inner.files = nil
          return
        }
      }
      throw error
    }
  }

  /// Whether the store rejects all work.
  var hasEnded: Bool { !process.isCurrent || inner.withLock { $0.files == nil } }

  /// The number of the last save, or `nil` in a child process.
  var latestSave: Int64? { process.isCurrent ? inner.withLock { $0.state.saves } : nil }

  /// Whether the files are those that the store read or wrote last.
  var hasFilesInPlace: Bool { inner.withLock { (try? $0.files?.checkFiles()) != nil } }

  /// The rows as they are now, for a reader, or those of the state that its thread holds.
  func currentState() throws -> StoreState {
    try checkProcess()
    return try inner.withLock { inner in
      guard inner.files != nil else {
        // The caller may have found this store just before it was replaced.
        guard let store = successor.withLock({ $0 }) else { throw StoreErrors.closed(path) }
        return try store.currentState()
      }
      if let state = held.current { return state }
      // Only an indeterminate commit changes the state to read.
      if inner.unresolvedFailure?.isIndeterminate == true { try resolveIndeterminateSave(&inner) }
      return inner.state
    }
  }

  /// Calls a body whose reads on this thread all use one state.
  func holdingState(_ body: () throws -> Void) throws {
    guard held.current == nil else { return try body() }
    // Before the state is chosen whose rows may name files.
    try rowFiles?.beginReading(patience: 0)
    defer { rowFiles?.endReading() }
    try held.hold(currentState(), during: body)
  }

  /// Caches rows that were read from the document's text in the state that the thread holds.
  func keep(_ table: Table, of index: Int) {
    held.change { $0.tables[index].content = .rows(table) }
  }

  /// The rows of an entity, if they are still what a reader's state has; read if they were not.
  func load(_ index: Int) throws -> Table? {
    try inner.withLock { inner in
      guard case .text = inner.state.tables[index].content else { return nil }
      try inner.state.load(index, file: path)
      return inner.state.tables[index].table
    }
  }

  /// Indexes the rows that refer to others by a property, for all later readers.
  ///
  /// - Returns: The rows, or `nil` if they changed since a reader took its own.
  func makeIndex(_ index: Int, _ property: Int, ifRowsAre own: Table) throws -> Table? {
    inner.withLock { inner in
      guard inner.state.tables[index].table?.version == own.version else { return nil }
      inner.state.withTable(index) { $0.index(property) }
      return inner.state.tables[index].table
    }
  }

  /// Keeps an index that a reader created, for all later readers, unless the rows have changed.
  func keep(_ made: TableIndex, of index: Int, ifRowsAre own: Table) {
    inner.withLock { inner in
      guard inner.state.tables[index].table?.version == own.version else { return }
      inner.state.withTable(index) { $0.keep(made) }
    }
  }

  /// Writes and applies a batch of changes, together with others that wait.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - files: The files of large values, or `nil` if no value can be in a file.
  /// - Returns: The result, and the file to which the save was written.
  /// - Throws: The errors of a save.
  func apply(
    _ changes: StoreChanges,
    _ files: ValueFileBatch? = nil
  ) throws -> (result: StoreChangesResult, written: Written) {
    try checkProcess()
    return try group.save(changes.saveIdentifier, rowCount: changes.rowCount, in: self) {
      [self] inner in
      files?.restart()
      let saved = try write(changes, files, &inner)
      inner.unsynced?[changes.saveIdentifier] = saved.result
      return saved
    }
  }

  private func write(
    _ changes: StoreChanges,
    _ files: ValueFileBatch?,
    _ inner: inout Inner
  ) throws -> (result: StoreChangesResult, written: Written) {
    if let result = inner.recovered[changes.saveIdentifier] { return (result, .document) }
    var plan = try ChangePlan.make(
      changes,
      &inner.state,
      map: map,
      storeIdentifier: identifier,
      file: path
    )
    try plan.addHistory(of: changes, configuration.history.content, &inner.state, self)
    if plan.isEmpty, plan.steps.isEmpty {
      inner.state.saves = plan.result.version
      return (plan.result, .journal)
    }
    if let files {
      try plan.moveValues(to: files, inner.state.tables)
      plan.releaseFiles(to: files, inner.state)
      try files.syncNames()
    }
    if inner.unsynced == nil, group.waitingCount > 0 { inner.unsynced = [:] }
    let written = try write(
      { plan.record(formats) },
      of: changes.saveIdentifier,
      &inner,
      checkpointsImmediately: changes.rowCount >= Self.manyRows
        && plan.isLarger(than: journalRoom(inner), formats)
    ) { plan.apply(to: &$0) }
    inner.state.history.prune(configuration.history.retention, last: plan.result.version)
    return (plan.result, written)
  }

  /// The number of rows from which a save is measured before it is written to the journal.
  private static let manyRows = 100

  /// Deletes all rows and the history; keys continue from their current value.
  func erase() throws {
    try transaction { inner in
      var printer = JSONPrinter()
      printer.append(json: "{\"next\":")
      printer.append(inner.state.nextKey)
      let save = inner.state.saves + 1
      try StoreNumbers.check(save, of: "saves", file: path)
      let step = HistoryStep.cut(save, save: StoreEnvironment.current.makeSaveIdentifier())
      printer.append(step)
      printer.append(json: ",\"erase\":true}")
      let record = printer.bytes
      try withFiles { files in
        try files?.releaseAll { try inner.state.references(file: path) }
        try files?.syncNames()
        let written = try write({ record }, of: UUID(), &inner) {
          $0.eraseRows()
          $0.saves = save
          step.apply(to: &$0.history)
        }
        return ((), written)
      }
    }
  }

  /// Checkpoints the journal into the document.
  func compact() throws {
    try transaction { inner in
      guard inner.files?.journal != nil || !inner.hasLayout else { return }
      try checkpointOnRequest(&inner)
    }
  }

  /// Returns the current rows and files, for a longer examination.
  ///
  /// - Throws: `storeReplaced` if the files are not those that the store opened, or `io`.
  func moment() throws -> StoreMoment {
    try checkProcess()
    return try inner.withLock { inner in
      if configuration.allowsSave { try resolveIndeterminateSave(&inner) }
      guard let files = inner.files else { throw StoreErrors.closed(path) }
      do {
        return try StoreMoment(inner.state, files)
      } catch let error as FileError {
        throw StoreErrors.translated(error)
      }
    }
  }

  /// Returns the content of a document for some rows.
  func draft(of state: StoreState) -> DocumentDraft {
    DocumentDraft(state, store: identifier, schema: schemaText, configuration)
  }

  /// Checkpoints the journal into the document, and closes the store.
  func close() throws {
    // In a child process, the thread that has the lock may not exist.
    guard process.isCurrent else {
      _ = inner.withLockIfAvailable { $0.files = nil }
      return
    }
    try inner.withLock { inner in
      guard inner.files != nil else { return }
      defer { inner.files = nil }
      guard configuration.allowsSave else { return }
      try resolveIndeterminateSave(&inner)
      guard inner.files?.journal != nil else { return }
      try inner.files?.checkFiles()
      try checkpointOnRequest(&inner)
    }
  }

  /// Returns the outcome of a save that was indeterminate.
  func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try checkProcess()
    return try inner.withLock { inner in
      if inner.unresolvedFailure?.concerns(identifier) == true {
        try resolveIndeterminateSave(&inner)
      }
      if let result = inner.recovered[identifier] { return .saved(result) }
      if inner.refused.contains(identifier) { return .notSaved }
      throw StoreErrors.unknown(path, cause: nil)
    }
  }

  /// Throws in a process that inherited the open files, because it shares the lock with its parent.
  func checkProcess() throws {
    guard process.isCurrent else { throw StoreErrors.inherited(path) }
  }
}
