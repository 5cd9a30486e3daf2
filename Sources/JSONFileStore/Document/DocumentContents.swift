import Foundation
import StoreProtocol

/// The metadata of a document, and the ranges of each entity's rows.
struct DocumentContents {
  var storeIdentifier = ""
  var generation: Int64 = 0
  var nextKey: Int64 = 1
  var schema = StoreSchema(entities: [])
  /// The ranges of the rows, by entity.
  var sections: [String: Range<Int>] = [:]
  /// The rows by entity, if they could be read while the document was scanned.
  private var tables: [String: Table] = [:]
  var history = History()
  /// Whether the document's schema is the configured one, so that its rows can be read immediately.
  private var hasExpectedSchema = false

  /// A schema with its text, which usually equals the document's and then need not be parsed.
  typealias ParsedSchema = (text: [UInt8], schema: StoreSchema)

  /// Reads the envelope of a document.
  ///
  /// Rows in the form of the writer are read at the same time if the schema is known and the
  /// document is not large. A single pass is fastest. Other rows are skipped and checked as JSON.
  ///
  /// - Throws: `storeNotTrusted` for JSON or other bytes that are not such a document,
  ///   `storeTooNew` for a later format, `storeDamaged` with the location for anything else.
  init(_ bytes: UnsafeRawBufferPointer, file: String, expected: ParsedSchema?) throws {
    try Self.checkFormat(bytes, file: file)
    do throws(JSONError) {
      try read(bytes, expected)
    } catch {
      throw DocumentFormat.damaged(file, error)
    }
  }

  /// Returns and removes the content of a table, whose identifiers get its scope.
  mutating func takeRows(of stored: StoredTable) -> StoredTable.Content {
    if var table = tables.removeValue(forKey: stored.entity.name) {
      table.scope = stored.scope
      return .rows(table)
    }
    // Reading no rows would copy the list of tables, once for each of them.
    guard let section = sections[stored.entity.name], section.count > "[]".utf8.count else {
      return .absent
    }
    return .text(section)
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Finds the two members that identify the file's format, before using any other content.
  static func checkFormat(_ bytes: UnsafeRawBufferPointer, file: String) throws {
    var version: Int64?
    var isOurs = false
    let hasMark = bytes.starts(with: byteOrderMark)
    do throws(JSONError) {
      var scanner = JSONScanner(bytes, in: (hasMark ? byteOrderMark.count : 0)..<bytes.count)
      var isFirst = true
      try scanner.beginObject()
      while !isOurs || version == nil, let key = try scanner.nextMember(&isFirst) {
        switch try scanner.string(of: key) {
        case "format": isOurs = try scanner.readString() == DocumentFormat.name
        case "version": version = try scanner.readInteger()
        default: try scanner.skipValue()
        }
      }
    } catch  where isOurs {
      throw DocumentFormat.damaged(file, error)
    } catch {
      isOurs = false
    }
    if isOurs, hasMark {
      throw DocumentFormat.damaged(file, JSONScanner(bytes).error(.byteOrderMark))
    }
    if !isOurs { version = nil }
    guard let version else {
      throw DataStoreError(
        .storeNotTrusted,
        "the file is not the document of a JSON store; it was not changed",
        file: file
      )
    }
    guard version <= DocumentFormat.version else {
      throw DataStoreError(
        .storeTooNew,
        "the document has format \(version), and this program supports \(DocumentFormat.version): "
          + "update the program",
        file: file
      )
    }
  }

  private mutating func read(
    _ bytes: UnsafeRawBufferPointer,
    _ expected: ParsedSchema?
  ) throws(JSONError) {
    var scanner = JSONScanner(bytes)
    var keys = JSONKeys()
    var isFirst = true
    try scanner.beginObject()
    while let text = try scanner.nextMember(&isFirst) {
      let key = try scanner.string(of: text)
      guard keys.insert(key) else { throw scanner.error(.duplicateKey(key), at: text.start) }
      try readMember(key, at: text.start, &scanner, bytes, expected)
    }
    for key in ["store", "nextKey", "schema", "entities"] where keys.insert(key) {
      let sentence = "the document lacks the key \"\(key)\""
      throw scanner.error(key == "schema" ? .unknownSchema(sentence) : .invalidValue(sentence))
    }
    try checkSections(scanner)
    try scanner.finish()
  }

  /// Throws for rows of an unknown entity, because the next write of the document would lose them.
  private func checkSections(_ scanner: JSONScanner) throws(JSONError) {
    let names = Set(schema.entities.map(\.name))
    let unknown = sections.filter { !names.contains($0.key) && $0.value.count > 2 }
    guard let first = unknown.min(by: { $0.value.lowerBound < $1.value.lowerBound }) else { return }
    throw scanner.error(
      .invalidValue("the document's schema has no entity \"\(first.key)\""),
      at: first.value.lowerBound
    )
  }

  private mutating func readMember(
    _ key: String,
    at start: Int,
    _ scanner: inout JSONScanner,
    _ bytes: UnsafeRawBufferPointer,
    _ expected: ParsedSchema?
  ) throws(JSONError) {
    switch key {
    case "format", "version": try scanner.skipValue()
    case "store":
      storeIdentifier = try scanner.readString()
      if storeIdentifier.isEmpty {
        throw scanner.error(.invalidValue("the store needs an identifier"), at: start)
      }
    case "generation": generation = try scanner.readCounter("generations", from: 0)
    case "nextKey": nextKey = try scanner.readCounter("row keys", from: 1)
    case "schema": try readSchema(&scanner, bytes, expected)
    case "entities": try readSections(&scanner)
    case "history": history = try History(&scanner, bytes)
    default:
      throw scanner.error(.invalidValue("\"\(key)\" is not a key of a document"), at: start)
    }
  }

  private mutating func readSchema(
    _ scanner: inout JSONScanner,
    _ bytes: UnsafeRawBufferPointer,
    _ expected: ParsedSchema?
  ) throws(JSONError) {
    let range = try scanner.skipValue()
    if let expected, bytes[range].elementsEqual(expected.text) {
      schema = expected.schema
      hasExpectedSchema = true
      return
    }
    let data = Data(bytes[range])
    do {
      schema = try JSONDecoder().decode(StoreSchema.self, from: data)
    } catch let error as DataStoreError {
      throw scanner.error(.invalidValue(error.description), at: range.lowerBound)
    } catch {
      throw scanner.error(.unknownSchema("the schema cannot be read"), at: range.lowerBound)
    }
  }

  private mutating func readSections(_ scanner: inout JSONScanner) throws(JSONError) {
    var isFirst = true
    try scanner.beginObject()
    while let text = try scanner.nextMember(&isFirst) {
      let name = try scanner.string(of: text)
      guard try scanner.nextToken() == UInt8(ascii: "[") else {
        throw scanner.unexpected("a list of rows")
      }
      let start = scanner.position
      if let table = readRows(of: name, &scanner) {
        tables[name] = table
      } else {
        try scanner.skipValue()
      }
      guard sections.updateValue(start..<scanner.position, forKey: name) == nil else {
        throw scanner.error(.duplicateKey(name), at: text.start)
      }
    }
  }

  /// The maximum size, in bytes, of a document whose rows are read with it.
  ///
  /// For a larger document, only requested rows take time and memory.
  static let earlyReadingLimit = 32 << 20

  /// Returns the rows of an entity, if everything required to read them precedes them.
  private func readRows(of name: String, _ scanner: inout JSONScanner) -> Table? {
    guard scanner.end <= Self.earlyReadingLimit, hasExpectedSchema, !storeIdentifier.isEmpty,
      let entity = schema.entity(named: name)
    else { return nil }
    let scope = PersistentIdentifier.Scope(storeIdentifier: storeIdentifier, entityName: name)
    return TableReader.readPlain(
      &scanner,
      Table(entity: entity, scope: scope),
      format: RowFormat(entity),
      nextKey: nextKey
    )
  }
}
