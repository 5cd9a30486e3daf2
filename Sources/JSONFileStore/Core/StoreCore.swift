import Foundation
import StoreFiles
import StoreProtocol
import Synchronization

/// The one open store of a document in this process, behind all stores that name it.
///
/// States: open; ended by a close or by a failure whose outcome is unknown. An ended store
/// refuses everything and holds neither lock nor files, so that the document can be opened again.
final class StoreCore: Sendable {
  let identifier: String
  let schema: Schema
  let map: TableMap
  let path: String
  let allowsSave: Bool
  let durability: StoreCapabilities.Durability
  /// The files of large values.
  let valueFiles: ValueFiles

  private let externalThreshold: Int
  private let schemaText: [UInt8]
  private let formats: [RowFormat]
  private let journalLimit: Int?
  private let process = getpid()
  private let inner: Mutex<Inner>

  private struct Inner {
    var state: StoreState
    /// nil when the store has ended.
    var files: StoreFolder?
    var failure: (any Error)?
    /// The size of the journal below which folding is not tried again after it failed.
    var foldAbove = 0
  }

  /// The stores that are open in this process.
  static let shared = SharedStores<StoreCore>()

  init(_ opened: OpenedStore, _ configuration: JSONFileStoreConfiguration) throws {
    identifier = opened.identifier
    schema = opened.schema
    map = opened.map
    path = configuration.path
    allowsSave = configuration.allowsSave
    durability = configuration.durability
    valueFiles = opened.valueFiles
    externalThreshold = configuration.externalStorageThreshold
    journalLimit = configuration.journalLimit
    schemaText = opened.schemaText
    formats = opened.state.tables.map { RowFormat($0.entity) }
    inner = Mutex(Inner(state: opened.state, files: opened.files))
  }

  deinit {
    try? close()
  }

  /// Whether the store refuses work.
  var hasEnded: Bool { getpid() != process || inner.withLock { $0.files == nil } }

  /// The rows as they are now, for a reader.
  func currentState() throws -> StoreState {
    try checkProcess()
    return try inner.withLock { inner in
      guard inner.files != nil else { throw StoreErrors.closed(path, cause: inner.failure) }
      return inner.state
    }
  }

  /// The rows of an entity, if they are still what a reader's state has; read if they were not.
  func load(_ index: Int) throws -> Table? {
    try inner.withLock { inner in
      guard case .text = inner.state.tables[index].content else { return nil }
      try inner.state.load(index, file: path)
      return inner.state.tables[index].table
    }
  }

  /// Makes the rows that refer to others by a property findable, for all readers to come.
  ///
  /// - Returns: The rows, or nil when they have changed since a reader took its own.
  func makeIndex(_ index: Int, _ property: Int, ifRowsAre own: Table) throws -> Table? {
    inner.withLock { inner in
      guard inner.state.tables[index].table?.version == own.version else { return nil }
      inner.state.withTable(index) { $0.index(property) }
      return inner.state.tables[index].table
    }
  }

  /// Keeps an index that a reader made, for all readers to come, unless the rows have changed.
  func keep(_ made: TableIndex, of index: Int, ifRowsAre own: Table) {
    inner.withLock { inner in
      guard inner.state.tables[index].table?.version == own.version else { return }
      inner.state.withTable(index) { $0.keep(made) }
    }
  }

  /// Writes a batch of changes and applies it.
  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try withOpenStore { inner in
      try VersionCheck(map: map, file: path).check(changes.expectedVersions, &inner.state)
      var plan = try ChangePlan.make(
        changes,
        &inner.state,
        map: map,
        storeIdentifier: identifier,
        file: path
      )
      if plan.isEmpty {
        inner.state.saves = plan.result.version
        return plan.result
      }
      try withFiles { files in
        try plan.moveValues(to: files, inner.state.tables)
        plan.releaseFiles(to: files, inner.state)
        try files.settle()
        try write(plan.record(formats), &inner)
        plan.apply(to: &inner.state)
      }
      foldIfLarge(&inner)
      return plan.result
    }
  }

  /// Removes all rows; the next keys go on from where they were.
  func erase() throws {
    try withOpenStore { inner in
      var printer = JSONPrinter()
      printer.append(json: "{\"next\":")
      printer.append(inner.state.nextKey)
      printer.append(json: ",\"erase\":true}")
      try withFiles { files in
        try files.releaseAll()
        try files.settle()
        try write(printer.bytes, &inner)
        inner.state.eraseRows()
      }
      foldIfLarge(&inner)
    }
  }

  /// Brings what the journal has into the document.
  func compact() throws {
    try withOpenStore { inner in
      guard inner.files?.journal != nil else { return }
      do throws(ReplacementError) {
        try fold(&inner)
      } catch {
        throw StoreErrors.translated(error)
      }
    }
  }

  /// Brings what the journal has into the document, and ends the store.
  func close() throws {
    try inner.withLock { inner in
      guard let files = inner.files else { return }
      defer { inner.files = nil }
      guard allowsSave, files.journal != nil, getpid() == process else { return }
      try files.checkFiles()
      do throws(ReplacementError) {
        try fold(&inner)
      } catch {
        throw StoreErrors.translated(error)
      }
    }
  }

  /// Refuses a process that inherited the open files: it has the lock together with its parent.
  private func checkProcess() throws {
    guard getpid() == process else { throw StoreErrors.inherited(path) }
  }

  private func withOpenStore<Value>(_ body: (inout Inner) throws -> Value) throws -> Value {
    // The value leaves the lock inside a box, since it need not be Sendable for the compiler.
    var result: Value?
    try checkProcess()
    try inner.withLock { inner in
      guard let files = inner.files else { throw StoreErrors.closed(path, cause: inner.failure) }
      guard allowsSave else { throw StoreErrors.readOnly(path) }
      try files.checkFiles()
      result = try body(&inner)
    }
    guard let result else { throw StoreErrors.closed(path, cause: nil) }
    return result
  }

  /// Runs a save with the files of large values that it writes and leaves.
  private func withFiles(_ body: (ValueFileBatch) throws -> Void) throws {
    let files = ValueFileBatch(valueFiles, threshold: externalThreshold)
    do {
      try body(files)
    } catch {
      files.rollBack()
      throw error
    }
    files.commit(isDurable: durability != .relaxed)
  }

  /// Appends a record to the journal; nothing of the rows is changed.
  private func write(_ record: [UInt8], _ inner: inout Inner) throws {
    try check(record)
    do throws(ReplacementError) {
      try inner.files?.append(record, store: identifier)
    } catch {
      let failure = StoreErrors.translated(error)
      if case .unknown = error { end(&inner, failure) }
      throw failure
    }
  }

  /// Makes sure that what is about to be written can be read again.
  private func check(_ record: [UInt8]) throws {
    guard record.count <= JournalFrame.longestRecord else {
      throw DataStoreError(.notSaved, "one save cannot be larger than ten gigabytes", file: path)
    }
    try record.withUnsafeBytes { bytes in
      do throws(JSONError) {
        var scanner = JSONScanner(bytes)
        try scanner.skipValue()
      } catch {
        throw DataStoreError(
          .invalidValue,
          "a value is nested deeper than \(DocumentFormat.deepestValue) levels",
          file: path,
          cause: error
        )
      }
    }
  }

  private func end(_ inner: inout Inner, _ failure: any Error) {
    inner.failure = failure
    inner.files = nil
  }

  private func foldIfLarge(_ inner: inout Inner) {
    guard let files = inner.files, let journal = files.journal else { return }
    let limit = journalLimit ?? max(4 << 20, files.documentStatus.size)
    guard journal.size > max(limit, inner.foldAbove) || valueFiles.shouldBecomeDurable else {
      return
    }
    do throws(ReplacementError) {
      try fold(&inner)
      inner.foldAbove = 0
    } catch {
      // The save is in the journal and stands. The next ones go on there, or, where the files
      // are in doubt, `fold` has ended the store.
      inner.foldAbove = journal.size * 2
    }
  }

  /// Writes the document anew from the rows.
  private func fold(_ inner: inout Inner) throws(ReplacementError) {
    let state = inner.state
    do throws(ReplacementError) {
      try inner.files?.replaceDocument { (file, generation) throws(FileError) in
        var writer = DocumentWriter(to: file)
        let header = DocumentHeader(
          store: identifier,
          generation: generation,
          nextKey: state.nextKey,
          schema: schemaText
        )
        try writer.write(header, tables: state.tables, source: state.source)
        return writer.checksum.value
      }
    } catch {
      if case .unknown = error { end(&inner, StoreErrors.translated(error)) }
      throw error
    }
    valueFiles.noteDurable()
  }
}
