import Foundation
import StoreProtocol
import StoreTestSupport
import Testing

@testable import JSONFileStore

/// A JSON list of rows, some of which are formatted as by hand.
private struct RowList {
  static let entity = IndexedSchema.schema.entities[0]
  static let scope = PersistentIdentifier.Scope(storeIdentifier: "s", entityName: entity.name)
  static let nextKey: Int64 = 1000

  private var random: SeededGenerator
  private(set) var bytes: [UInt8] = []

  init(seed: UInt64, rows: Int) {
    random = SeededGenerator(seed: seed)
    var lines = (1...rows).map { line(key: Int64($0) * 3) }
    // One list in three has rows out of order.
    if seed % 3 == 0, rows > 1 { lines.swapAt(rows - 2, rows - 1) }
    bytes = Array("[\n\(lines.joined(separator: ",\n"))\n]".utf8)
  }

  /// A row with its members in the order of the schema, or in any order and with blanks.
  private mutating func line(key: Int64) -> String {
    let values = IndexedSchema.values(of: Self.entity.name, owners: [], &random)
    var table = Table(entity: Self.entity, scope: Self.scope)
    let cells = zip(Self.entity.properties, values).map { property, value in
      CellType(property, in: Self.entity).cell(of: value) ?? .null
    }
    table.append(key: key, cells: cells)
    var members = ["\"$id\":\(key)"]
    for (index, field) in RowFormat(Self.entity).fields.enumerated() {
      if table.columns[index].isNull(0) {
        if Bool.random(using: &random) { members.append("\"\(field.name)\":null") }
        continue
      }
      var printer = JSONPrinter()
      printer.append(table.columns[index].cell(0), as: field.type)
      members.append("\"\(field.name)\":\(String(decoding: printer.bytes, as: UTF8.self))")
    }
    return written(members)
  }

  private mutating func written(_ members: [String]) -> String {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: "{\(members.shuffled(using: &random).joined(separator: ","))}"
    case 1: "{ \(members.joined(separator: " ,\n  ")) }"
    case 2: "{\(members.joined(separator: ",\t"))}"
    default: "{\(members.joined(separator: ","))}"
    }
  }

  /// The list with one byte changed, to a significant one or to any.
  mutating func damaged() -> RowList {
    var result = self
    let some = Array("0123456789-.eE\",:{}[]\\ntf $u".utf8)
    let index = Int.random(in: bytes.indices, using: &random)
    result.bytes[index] =
      Bool.random(using: &random)
      ? some.randomElement(using: &random) ?? 0 : .random(in: .min ... .max, using: &random)
    return result
  }

  /// The result of reading: the rows as they are written, or the error and its location.
  func result(
    _ format: RowFormat,
    _ read: (inout JSONScanner, RowFormat) throws -> Table
  ) -> Result<[UInt8], JSONError> {
    bytes.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      do {
        let table = try read(&scanner, format)
        var printer = JSONPrinter()
        table.withDirectAccess { rows in
          let row = RowPrinter(table, rows, as: RowFormat(table.entity))
          for slot in 0..<table.slotCount { row.print(slot, to: &printer) }
        }
        return .success(printer.bytes)
      } catch {
        return .failure(
          error as? JSONError ?? JSONError(reason: .depth, offset: -1, line: 0, column: 0)
        )
      }
    }
  }

  func readByTables(_ format: RowFormat) -> Result<[UInt8], JSONError> {
    result(format) { scanner, format in
      try TableReader.read(
        &scanner,
        Table(entity: format.entity, scope: Self.scope),
        format: format,
        nextKey: Self.nextKey
      )
    }
  }

  /// Reads row by row, as the journal is read.
  func readByRows(_ format: RowFormat) -> Result<[UInt8], JSONError> {
    result(format) { scanner, format in
      var rows: [(key: Int64, offset: Int, cells: [Cell])] = []
      var decoder = RowDecoder(format: format, nextKey: Self.nextKey)
      var isFirst = true
      try scanner.beginArray()
      while try scanner.nextElement(&isFirst) {
        let start = scanner.position
        rows.append((try decoder.readRow(&scanner), start, decoder.cells))
      }
      let table = Table(entity: format.entity, scope: Self.scope)
      return try RowDecoder.merged(table, rows, scanner)
    }
  }
}

@Suite("Rows read directly into columns")
struct TableReaderTests {
  private let format = RowFormat(RowList.entity)

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `equal rows that are read one by one, in any format`(seed: UInt64) throws {
    let list = RowList(seed: seed, rows: 12)
    let rows = try list.readByRows(format).get()
    #expect(try list.readByTables(format).get() == rows)
    #expect(rows.count > 100)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `are refused for the same reason at the same location`(seed: UInt64) {
    var whole = RowList(seed: seed, rows: 3)
    for _ in 0..<60 {
      let list = whole.damaged()
      #expect(list.readByTables(format) == list.readByRows(format))
    }
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `equal rows that are read one by one after a schema change`(seed: UInt64) throws {
    let properties = RowList.entity.properties.filter { $0.name != "small" && $0.name != "owner" }
    let changed = StoreEntity(
      name: RowList.entity.name,
      properties: [
        StoreProperty(name: "fresh", kind: .attribute(.int64), defaultValue: .integer(7))
      ] + properties.reversed()
    )
    let format = RowFormat(changed, writtenAs: RowList.entity)
    let list = RowList(seed: seed, rows: 8)
    let rows = try list.readByRows(format).get()
    #expect(try list.readByTables(format).get() == rows)
    #expect(String(decoding: rows, as: UTF8.self).contains("\"fresh\":7"))
  }
}
