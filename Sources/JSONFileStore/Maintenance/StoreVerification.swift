import StoreFiles
import StoreHelpers
import StoreProtocol

/// Checks the files of a store and their rows for damage.
struct StoreVerification {
  /// The maximum number of reported problems, so that a completely invalid document does not fill
  /// the memory.
  static let mostProblems = 250

  let core: StoreCore
  let moment: StoreMoment
  var problems: [StoreProblem] = []

  init(_ core: StoreCore, _ moment: StoreMoment) {
    self.core = core
    self.moment = moment
  }

  /// Whether the maximum number of problems was found.
  var isFull: Bool { problems.count >= Self.mostProblems }

  /// Records a problem; returns `false` if no more are needed.
  @discardableResult
  mutating func note(_ problem: StoreProblem) -> Bool {
    if isFull { return false }
    problems.append(problem)
    if isFull { problems.append(StoreProblem("there may be more problems than are listed here")) }
    return !isFull
  }

  /// Records an error as a problem.
  mutating func note(_ error: any Error, file: String) {
    guard let error = error as? DataStoreError else {
      note(StoreProblem("\(error)", file: file))
      return
    }
    note(
      StoreProblem(
        (error.cause as? JSONError)?.description
          ?? (error.cause as? SwiftDataError)?.message ?? error.message,
        entity: error.entity,
        property: error.property,
        file: error.file ?? file
      )
    )
  }

  /// Checks everything.
  ///
  /// - Throws: `io` if the system fails to read the files.
  mutating func run() throws {
    let document = try translating { () throws(FileError) in try moment.document.bytes }
    let journal = try translating { () throws(FileError) in try moment.journal?.bytes }
    var found = inspect(document)
    if let journal { inspect(journal, document, &found) }
    // If the files could not be read completely, the rows in memory are checked.
    var state = moment.state
    if problems.isEmpty, let found {
      state = found
    } else {
      for index in state.tables.indices { try? state.load(index, file: core.path) }
    }
    inspectRows(of: state)
  }

  /// Reads the document, and records its problems.
  ///
  /// - Returns: The rows, or `nil` if the document's envelope cannot be read.
  private mutating func inspect(_ document: [UInt8]) -> StoreState? {
    if let checksum = moment.documentChecksum,
      checksum != document.withUnsafeBytes({ CRC32C.checksum(of: $0) })
    {
      note(StoreProblem("the document differs from what the store wrote", file: core.path))
    }
    return document.withUnsafeBytes { bytes in
      do {
        let contents = try DocumentContents(bytes, file: core.path, expected: nil)
        for line in contents.history.entries { inspect(line, nextKey: contents.nextKey) }
        var state = try rows(of: contents, bytes)
        state.history = contents.history
        return state
      } catch {
        note(error, file: core.path)
        return nil
      }
    }
  }

  private mutating func rows(
    of contents: DocumentContents,
    _ bytes: UnsafeRawBufferPointer
  ) throws -> StoreState {
    var tables: [StoredTable] = []
    var owners: [Int64: String] = [:]
    for stored in moment.state.tables {
      let entity = stored.entity
      let written = contents.schema.entity(named: entity.name)
      var inspector = RowInspector(
        Table(entity: entity, scope: stored.scope),
        format: RowFormat(entity, writtenAs: written),
        nextKey: contents.nextKey,
        owners: owners
      )
      // Otherwise each table's first row copies them all.
      owners = [:]
      if let range = contents.sections[entity.name] {
        var scanner = JSONScanner(bytes, in: range)
        do throws(JSONError) {
          try inspector.read(&scanner) { note(Self.problem($0, $1, $2, stored, core.path)) }
        } catch {
          note(Self.problem(error, nil, nil, stored, core.path))
        }
      }
      owners = inspector.owners
      tables.append(StoredTable(inspector.table, writtenAs: written))
    }
    return StoreState(tables, nextKey: contents.nextKey)
  }

  private static func problem(
    _ error: JSONError,
    _ key: Int64?,
    _ property: String?,
    _ table: StoredTable,
    _ file: String
  ) -> StoreProblem {
    StoreProblem(
      error.description,
      identifier: key.map { PersistentIdentifier(scope: table.scope, key: .integer($0)) },
      entity: table.entity.name,
      property: property,
      file: file
    )
  }
}
