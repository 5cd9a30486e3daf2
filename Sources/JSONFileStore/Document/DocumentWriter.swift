import Foundation
import StoreFiles
import StoreProtocol

/// The members of a document that stand before the rows.
struct DocumentHeader {
  let store: String
  let generation: Int64
  let nextKey: Int64
  /// The schema as JSON.
  let schema: [UInt8]
}

/// Writes a document to a new file piece by piece, and keeps count and checksum of its bytes.
struct DocumentWriter {
  private let file: File
  private var printer = JSONPrinter()
  private(set) var size = 0
  private(set) var checksum = CRC32C()

  /// How many bytes are collected before they are written.
  private static let pieceSize = 1 << 20

  init(to file: File) {
    self.file = file
    printer.bytes.reserveCapacity(Self.pieceSize + 1 << 16)
  }

  /// Writes a whole document.
  ///
  /// - Parameters:
  ///   - header: The members before the rows.
  ///   - tables: The rows; those that were not read are copied as they stand in `source`.
  ///   - source: The bytes of the document that was read.
  /// - Throws: `FileError` when the system refuses.
  mutating func write(
    _ header: DocumentHeader,
    tables: [StoredTable],
    source: [UInt8]
  ) throws(FileError) {
    printer.append(json: "{\n\"format\": ")
    printer.append(DocumentFormat.name)
    printer.append(json: ",\n\"version\": ")
    printer.append(DocumentFormat.version)
    printer.append(json: ",\n\"store\": ")
    printer.append(header.store)
    printer.append(json: ",\n\"generation\": ")
    printer.append(header.generation)
    printer.append(json: ",\n\"nextKey\": ")
    printer.append(header.nextKey)
    printer.append(json: ",\n\"schema\": ")
    printer.append(json: header.schema)
    printer.append(json: ",\n\"entities\": {")
    for (index, table) in tables.enumerated() {
      if index > 0 { printer.append(UInt8(ascii: ",")) }
      printer.append(UInt8(ascii: "\n"))
      printer.append(table.entity.name)
      printer.append(json: ": ")
      try write(table, source)
    }
    printer.append(json: "\n}\n}\n")
    try flush()
  }

  private mutating func write(
    _ table: StoredTable,
    _ source: [UInt8]
  ) throws(FileError) {
    switch table.content {
    case .absent: printer.append(json: "[]")
    case .text(let range):
      var start = range.lowerBound
      while start < range.upperBound {
        let end = min(start + Self.pieceSize, range.upperBound)
        printer.bytes.append(contentsOf: source[start..<end])
        try flush()
        start = end
      }
    case .rows(let rows): try write(rows)
    }
  }

  private mutating func write(_ table: Table) throws(FileError) {
    let format = RowFormat(table.entity)
    var isFirst = true
    printer.append(UInt8(ascii: "["))
    for slot in 0..<table.slotCount where table.isAlive(slot) {
      printer.append(json: isFirst ? "\n" : ",\n")
      isFirst = false
      printer.append(table, slot, as: format)
      if printer.bytes.count >= Self.pieceSize { try flush() }
    }
    printer.append(json: isFirst ? "]" : "\n]")
  }

  private mutating func flush() throws(FileError) {
    printer.bytes.withUnsafeBytes { checksum.update($0) }
    try file.write(printer.bytes, at: size)
    size += printer.bytes.count
    printer.bytes.removeAll(keepingCapacity: true)
  }
}

extension StoreSchema {
  /// The schema as JSON on one line, the same for equal schemas.
  func text() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self))
  }
}
