import Foundation
import StoreFiles
import StoreProtocol

/// The result of opening a document.
struct OpenedStore {
  let identifier: String
  var schema: Schema
  var map: TableMap
  var schemaText: [UInt8]
  var state: StoreState
  var files: StoreFolder
  let valueFiles: ValueFiles
  /// Whether the document has the layout that the store writes.
  var hasLayout = true
  /// The lack of space because of which the journal's changes must still be written to a document.
  var postponed: UnresolvedFailure?
}

/// Opens the store of a configuration: folder, lock, document, journal.
struct StoreOpening {
  let configuration: JSONFileStoreConfiguration
  let folder: Folder
  let name: String
  /// The files of large values of a store that is open for reading, whose reads protect them.
  private var sharedFiles: ValueFiles?
  var path: String { configuration.path }

  private init(_ configuration: JSONFileStoreConfiguration, _ folder: Folder, _ name: String) {
    self.configuration = configuration
    self.folder = folder
    self.name = name
  }

  /// Returns the store of a configuration, which may already be open in this process.
  static func core(_ configuration: JSONFileStoreConfiguration) throws -> StoreCore {
    try configuration.validate()
    try configuration.schema?.storeSchema.validate()
    let configuration = configuration.withoutLink()
    let (folderPath, name) = FileName.split(configuration.path)
    if !configuration.createsFolder { try Folder.checkPresence(of: configuration.path) }
    do {
      let folder = try Folder(
        path: folderPath,
        create: configuration.allowsSave,
        access: configuration.access
      )
      if configuration.allowsSave, let objection = try folder.objectionToWriting() {
        throw objection
      }
      let opening = StoreOpening(configuration, folder, name)
      // A read without a lock sees a past state, which no other store shares.
      if configuration.readsWithoutLock { return try StoreCore(opening.open(), configuration) }
      var reader: StoreCore?
      return try StoreCore.shared.store(name, in: folder) { core in
        let isUsable = try opening.canShare(core)
        if !isUsable, !core.hasEnded { reader = core }
        return isUsable
      } open: {
        guard let reader else { return try StoreCore(opening.open(), configuration) }
        return try opening.replace(reader)
      }
    } catch let error as FileError {
      throw StoreErrors.translated(error)
    } catch let error as ReplacementError {
      throw StoreErrors.translated(error.cause)
    }
  }

  /// Opens the store for writing in place of one that is open for reading in this process.
  private func replace(_ reader: StoreCore) throws -> StoreCore {
    var opening = self
    opening.sharedFiles = reader.valueFiles
    return try reader.replaced { states in
      try StoreCore(opening.open(), configuration, states)
    }
  }

  /// Returns whether a store that is open in this process can also serve the configuration.
  ///
  /// One that is open for reading cannot serve a configuration for writing, and is replaced.
  private func canShare(_ core: StoreCore) throws -> Bool {
    if core.hasEnded { return false }
    guard core.hasFilesInPlace else {
      throw DataStoreError(
        .storeReplaced,
        "the store is open in this process, and its file was replaced or removed since; close it "
          + "there first",
        file: path
      )
    }
    // The rows are the same whatever the version is called.
    if let schema = configuration.schema?.storeSchema,
      schema.entities != core.schema.storeSchema.entities
    {
      throw DataStoreError(
        .schemaMismatch,
        "the store is open in this process with another schema; close it there first",
        file: path
      )
    }
    if !configuration.allowsSave { return true }
    guard core.configuration.allowsSave else { return false }
    guard core.configuration.durability == configuration.durability else {
      throw DataStoreError(
        .invalidConfiguration,
        "the store is open in this process with durability "
          + "\(core.configuration.durability.rawValue);"
          + " give both configurations the same",
        file: path
      )
    }
    guard core.configuration.usesJournal == configuration.usesJournal,
      core.configuration.layout == configuration.layout
    else {
      throw DataStoreError(
        .invalidConfiguration,
        "the store is open in this process with another layout or journal setting; give both "
          + "configurations the same",
        file: path
      )
    }
    return true
  }

  /// Throws for a file that cannot be a store, before anything is created beside it.
  ///
  /// A document without a lock beside it was never opened for writing here: it may be any file.
  private func look() throws {
    guard let found = try folder.extent(of: name) else {
      if configuration.allowsSave, configuration.schema != nil { return }
      // A lock exists while another process creates the store.
      let others =
        [FileName.journal(of: name)]
        + (configuration.allowsSave ? [] : [FileName.lock(of: name)])
      for other in others where try folder.extent(of: other) != nil { return }
      throw configuration.allowsSave ? missingSchema() : missingStore()
    }
    if PinnedFiles.contains(found) { throw StoreErrors.openDatabase(path) }
    if let objection = found.objectionToMount(path) { throw objection }
    guard try folder.status(of: FileName.lock(of: name)) == nil, let document = try read(name)
    else { return }
    try document.bytes.withUnsafeBytes { try DocumentContents.checkFormat($0, file: path) }
  }

  private func open() throws -> OpenedStore {
    try look()
    if configuration.readsWithoutLock { return try openUnlocked() }
    let lock = try takeLock()
    if configuration.allowsSave {
      try folder.sweepTemporaryFiles(of: name)
      try folder.sweepTemporaryFiles(of: FileName.journal(of: name))
      MigrationLocation.sweep(name, in: folder)
    }
    let journal = try read(FileName.journal(of: name))
    guard let document = try read(name) else {
      guard journal == nil else { throw lostDocument() }
      return try make(lock)
    }
    var opened = try open(document.bytes, document.status, journal?.bytes, lock)
    try checkValueFiles(&opened)
    return opened
  }

  /// Checks the folder of large values, and removes files without a row.
  func checkValueFiles(_ opened: inout OpenedStore) throws {
    let files = opened.valueFiles
    let hasLargeValues = opened.map.schema.entities.contains {
      $0.properties.contains(where: \.isExternal)
    }
    do throws(FileError) {
      try files.checkFolder()
      if configuration.allowsSave { try files.syncExisting() }
    } catch {
      guard hasLargeValues else { return }
      throw ValueFileError(error).translated(entity: nil, property: nil)
    }
    let state = opened.state
    if hasLargeValues { try files.requireFolder { FileNames.areNamed(by: state) } }
    // Files that cannot be removed now only take space. The document may still need those that only
    // an old journal released, if that could not be renewed: a loss of power may remove the journal.
    guard configuration.allowsSave, opened.postponed == nil, let names = try? files.ownNames(),
      !names.isEmpty
    else { return }
    let used = FileNames.named(by: opened.state)
    let orphans = names.filter { !used.contains($0) }
    guard !orphans.isEmpty else { return }
    // A loss of power must not restore a document whose rows name one of them.
    try opened.files.syncDocument()
    files.remove(orphans)
  }

  private func takeLock() throws -> StoreLock? {
    do throws(StoreLock.Failure) {
      let lock = try StoreLock(
        of: name,
        in: folder,
        exclusively: configuration.allowsSave,
        waitingMilliseconds: Int(configuration.busyTimeout * 1000),
        inTurn: true
      )
      // The lock's holder is for messages only: a full disk must not prevent reading.
      if configuration.allowsSave { try? lock.describeHolder(ProcessInfo.processInfo.processName) }
      return lock
    } catch {
      if case .file(let cause) = error, cause.isReadOnly, !configuration.allowsSave { return nil }
      throw StoreErrors.translated(error, file: path)
    }
  }

  /// Reads one of the store's two files.
  ///
  /// - Returns: The bytes, or `nil` if there is no such file.
  /// - Throws: `invalidConfiguration` for a file above the maximum size, `storeNotTrusted` for a
  ///   file with several names that is opened for writing.
  func read(_ name: String) throws -> (bytes: [UInt8], status: FileStatus)? {
    guard let file = try folder.openIfPresent(name, for: .reading) else { return nil }
    let status = try file.status()
    guard !configuration.allowsSave || status.links <= 1 else {
      throw DataStoreError(
        .storeNotTrusted,
        "the file has \(status.links) names (hard links), each with a separate lock; nothing was "
          + "written: copy the file, or remove the other links",
        file: folder.path(of: name)
      )
    }
    guard status.size <= configuration.maximumDocumentSize else {
      throw DataStoreError(
        .invalidConfiguration,
        "the \(name == self.name ? "document" : "journal") has \(status.size) bytes; "
          + "maximumDocumentSize allows \(configuration.maximumDocumentSize); open the store with "
          + "a larger limit",
        file: folder.path(of: name)
      )
    }
    return (try file.bytes(at: 0, count: status.size), status)
  }

  private func missingSchema() -> DataStoreError {
    DataStoreError(
      .invalidConfiguration,
      "the store does not exist, and a new one needs a schema",
      file: path
    )
  }

  private func missingStore() -> DataStoreError {
    DataStoreError(
      .storeNotFound,
      "the store does not exist, and a read-only configuration cannot create it",
      file: path
    )
  }

  func lostDocument() -> DataStoreError {
    DataStoreError(
      .storeDamaged,
      "the document is missing, but its journal exists; restore the document beside it, or remove "
        + "the journal to start with an empty store",
      file: path
    )
  }

  // A new store.

  func make(_ lock: StoreLock?) throws -> OpenedStore {
    guard configuration.allowsSave else { throw missingStore() }
    guard let schema = configuration.schema else { throw missingSchema() }
    let identifier = StoreEnvironment.current.makeUUID().uuidString
    var opened = try opened(identifier, schema, stored: schema.storeSchema, lock)
    opened.files.isNew = true
    try rewrite(&opened)
    return opened
  }

  /// Returns an empty store with its tables, whose document is not read yet.
  private func opened(
    _ identifier: String,
    _ schema: Schema,
    stored: StoreSchema,
    _ lock: StoreLock?
  ) throws -> OpenedStore {
    let tables = schema.storeSchema.entities.map { entity in
      StoredTable(entity, of: identifier, writtenAs: stored.entity(named: entity.name))
    }
    let files = StoreFolder(
      folder: folder,
      name: name,
      path: path,
      journalName: FileName.journal(of: name),
      durability: configuration.durability,
      lock: lock,
      document: FileExtent(try folder.status()),
      generation: 0
    )
    return OpenedStore(
      identifier: identifier,
      schema: schema,
      map: TableMap(schema.storeSchema),
      schemaText: try schema.storeSchema.text(),
      state: StoreState(tables, nextKey: 1),
      files: files,
      valueFiles: sharedFiles
        ?? ValueFiles(
          of: name,
          in: folder,
          // A store that is opened for writing later may need the files on disk.
          policy: configuration.durability == .none && configuration.allowsSave ? .system : .disk,
          isShared: false,
          maximumSize: configuration.maximumExternalValueSize,
          owner: identifier
        )
    )
  }

  /// Writes the document from the rows, which are in memory or copied unchanged.
  private func rewrite(_ opened: inout OpenedStore) throws(ReplacementError) {
    let draft = DocumentDraft(
      opened.state,
      store: opened.identifier,
      schema: opened.schemaText,
      configuration
    )
    try opened.files.replaceDocument(by: draft)
    opened.hasLayout = true
  }

  // An existing store.

  func open(
    _ bytes: [UInt8],
    _ status: FileStatus,
    _ journal: [UInt8]?,
    _ lock: StoreLock?
  ) throws -> OpenedStore {
    let expected = try configuration.schema.map { schema in
      (text: try schema.storeSchema.text(), schema: schema.storeSchema)
    }
    var contents = try bytes.withUnsafeBytes {
      try DocumentContents($0, file: path, expected: expected)
    }
    let schema =
      configuration.schema?.keepingVersion(of: contents.schema)
      ?? Schema(storeSchema: contents.schema)
    let change = try DocumentChange(from: contents.schema, to: schema, file: path)
    // A journal has the format of its document's schema.
    let found = change.convertsRows ? Schema(storeSchema: contents.schema) : schema
    var opened = try opened(contents.storeIdentifier, found, stored: contents.schema, lock)
    opened.files.document = FileExtent(status)
    opened.files.generation = contents.generation
    opened.hasLayout = .init(of: bytes) == configuration.layout
    opened.state.source = bytes
    opened.state.sourceNextKey = contents.nextKey
    opened.state.nextKey = contents.nextKey
    opened.state.history = contents.history
    for index in opened.state.tables.indices {
      opened.state.tables[index].content = contents.takeRows(of: opened.state.tables[index])
    }
    try applyJournal(journal, change, &opened)
    opened.state.releaseSource()
    return opened
  }

  /// Applies an existing journal, and prepares the files for further saves.
  private func applyJournal(
    _ journal: [UInt8]?,
    _ change: DocumentChange,
    _ opened: inout OpenedStore
  ) throws {
    let recovery = try journal.map {
      try JournalRecovery(
        $0,
        file: folder.path(of: FileName.journal(of: name)),
        for: opened,
        document: opened.state.source
      )
    }
    if let recovery { try recovery.replay(into: &opened.state, map: opened.map, document: path) }
    // Which of two equal rows a save would update is undefined; readers show both.
    if configuration.allowsSave { try opened.state.checkUniqueRows(opened.map, file: path) }
    opened.state.saves = max(opened.state.saves, opened.state.history.lastSave)
    if change.convertsRows { try change.convert(&opened, file: path) }
    guard configuration.allowsSave else { return }
    if change.needsRewriting {
      try opened.state.loadAll(file: path)
      try rewrite(&opened)
    } else if let recovery, configuration.usesJournal || recovery.records.isEmpty {
      try renew(recovery, &opened)
    } else if recovery != nil {
      try postponingIfFull(&opened) { (opened) throws(ReplacementError) in try rewrite(&opened) }
    } else if !configuration.usesJournal {
      // Its name may be only in the system's memory, after a save whose sync failed.
      try opened.files.syncDocument()
    }
  }

  /// Writes the valid records to a journal that is certainly on disk.
  ///
  /// An existing journal may be only in the system's memory, after a sync that failed.
  private func renew(_ recovery: JournalRecovery, _ opened: inout OpenedStore) throws {
    if !recovery.records.isEmpty {
      return try postponingIfFull(&opened) { (opened) throws(ReplacementError) in
        try opened.files.makeJournal(store: opened.identifier, records: recovery.records)
      }
    }
    try opened.files.syncDocument()
    try folder.remove(FileName.journal(of: name))
  }

  /// Writes a file, or opens the store without it if the disk is full.
  ///
  /// All rows can be read then. The next save first writes a document with the journal's changes.
  private func postponingIfFull(
    _ opened: inout OpenedStore,
    _ write: (inout OpenedStore) throws(ReplacementError) -> Void
  ) throws(ReplacementError) {
    do throws(ReplacementError) {
      try write(&opened)
    } catch {
      guard case .unchanged(let cause) = error, cause.shortage != nil else { throw error }
      opened.postponed = UnresolvedFailure(save: nil)
    }
  }
}
