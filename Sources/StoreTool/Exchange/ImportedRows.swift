import CommandLineSupport
import JSONFileStore
import OpenSwiftData

/// The rows of an export, read and checked before anything is stored.
struct ImportedRows {
  /// One line.
  struct Row {
    let line: Int
    let content: RowText.Row

    var name: String { "\(content.entity.name)/\(content.key)" }
  }

  /// An invalid line.
  struct Problem: CustomStringConvertible {
    let file: String
    let line: Int
    let sentence: String

    var description: String { "\(file):\(line): \(sentence)" }
  }

  /// The largest number of problems to report.
  static let mostProblems = 20

  let file: String
  let schema: StoreSchema
  /// The key that no object of the exported store had yet, or `nil` if the export does not contain
  /// it.
  let nextKey: Int64?
  private(set) var rows: [Row] = []
  private(set) var problems: [Problem] = []
  /// The index of each row, by the root of its entity and its key.
  private var rowIndexes: [String: [Int64: Int]] = [:]

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file, or `-` for standard input.
  ///   - schemaOfStore: The schema of the store to fill, or `nil` if it does not exist yet.
  /// - Throws: `CommandFailure` if there is no schema or both differ, and errors of reading.
  init(path: String, schemaOfStore: StoreSchema?) throws {
    file = path == "-" ? "standard input" : path
    var reader = try LineReader(path: path)
    var line = try reader.next()
    let header = try line.flatMap(ExportHeader.read)
    nextKey = header?.nextKey
    if let header {
      guard schemaOfStore == nil || schemaOfStore?.entities == header.schema.entities else {
        throw CommandFailure(
          "the schema of \(file) differs from the store's; compare both with storectl schema show"
        )
      }
      schema = schemaOfStore ?? header.schema
      line = try reader.next()
    } else if let schemaOfStore {
      schema = schemaOfStore
    } else {
      throw CommandFailure(
        "the store does not exist, and \(file) does not begin with a schema to create it"
      )
    }
    while let bytes = line {
      read(bytes, reader.number)
      if problems.count >= Self.mostProblems { return }
      line = try reader.next()
    }
  }

  /// Notes a problem in a line.
  mutating func note(_ line: Int, _ sentence: String) {
    if problems.count < Self.mostProblems {
      problems.append(Problem(file: file, line: line, sentence: sentence))
    }
  }

  /// Returns the row that a relationship refers to by a key.
  func row(_ key: Int64, of relationship: StoreRelationship) -> Row? {
    let root = schema.entity(named: relationship.destination)?.root ?? relationship.destination
    guard let row = rowIndexes[root]?[key].map({ rows[$0] }),
      schema.isEntity(row.content.entity.name, kindOf: relationship.destination)
    else { return nil }
    return row
  }

  private mutating func read(_ bytes: [UInt8], _ number: Int) {
    if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return }
    do {
      let row = Row(line: number, content: try RowText.row(bytes, schema: schema))
      let root = row.content.entity.root
      if let other = rowIndexes[root]?[row.content.key] {
        note(number, "line \(rows[other].line) already has the key of \(row.name)")
        return
      }
      rowIndexes[root, default: [:]][row.content.key] = rows.count
      rows.append(row)
    } catch {
      note(number, "\(error)")
    }
  }
}
