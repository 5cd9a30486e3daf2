import StoreFiles
import StoreProtocol

/// One of the documents of a merge, completely read.
///
/// It is read by its path alone, without a lock: version control uses a name that no store can
/// have.
struct DocumentSide {
  let folder: Folder
  let name: String
  let path: String
  let store: String
  let generation: Int64
  let layout: JSONFileStoreConfiguration.Layout
  private(set) var schema: StoreSchema
  private(set) var state: StoreState

  /// Reads a document.
  ///
  /// - Throws: `storeBusy` if saves in a journal are not in the document yet, and the errors of
  ///   reading.
  init(path: String) throws {
    self.path = path
    let (folderPath, name) = FileName.split(path)
    let folder = try translating { () throws(FileError) in try Folder(path: folderPath) }
    (self.folder, self.name) = (folder, name)
    let bytes = try translating { () throws(FileError) in
      let file = try folder.open(name, for: .reading)
      return try file.bytes(at: 0, count: file.status().size)
    }
    try Self.checkJournal(of: path)
    var contents = try bytes.withUnsafeBytes { try DocumentContents($0, file: path, expected: nil) }
    layout = .init(of: bytes)
    (store, generation, schema) = (contents.storeIdentifier, contents.generation, contents.schema)
    let store = store
    let tables = schema.entities.map { entity in
      var table = StoredTable(entity, of: store)
      table.content = contents.takeRows(of: table)
      return table
    }
    state = StoreState(tables, source: bytes, nextKey: contents.nextKey)
    state.history = contents.history
    try state.loadAll(file: path)
  }

  /// Checks that no journal is beside a document.
  ///
  /// - Throws: `storeBusy` if there is one.
  static func checkJournal(of path: String) throws {
    let (folder, name) = FileName.split(path)
    let journal = FileName.journal(of: name)
    let found = try translating { () throws(FileError) in
      try Folder(path: folder).extent(of: journal)
    }
    guard found == nil else {
      throw DataStoreError(
        .storeBusy,
        "\(journal) has saves that are not yet in the document; close the store, then merge again",
        file: path
      )
    }
  }

  /// Converts the rows to another schema.
  ///
  /// - Throws: `schemaMismatch` if code is needed, or rows prevent the change.
  mutating func convert(to schema: StoreSchema, removesEntities: Bool) throws {
    guard schema != self.schema else { return }
    let files = ValueFiles(
      of: name,
      in: folder,
      policy: .disk,
      isShared: false,
      maximumSize: 1 << 30,
      owner: store
    )
    state = try StructureConversion(storeIdentifier: store, file: path, valueFiles: files)
      .converted(
        state,
        from: self.schema,
        through: [StructureChange(to: schema, removesEntities: removesEntities)]
      )
    self.schema = schema
  }

  /// The rows by their keys.
  var rows: [Int64: ObjectMerge.Row] {
    var rows: [Int64: ObjectMerge.Row] = [:]
    for (index, stored) in state.tables.enumerated() {
      guard let table = stored.table else { continue }
      for slot in 0..<table.slotCount where table.isAlive(slot) {
        rows[table.keys[slot]] = ObjectMerge.Row(table: index, cells: table.cells(slot))
      }
    }
    return rows
  }
}
