import Foundation
import StoreFiles
import StoreHelpers
import StoreProtocol

/// Writes a document to a new file in pieces, and computes its size and checksum.
struct DocumentWriter: ~Copyable {
  private let draft: DocumentDraft
  private let file: File
  private var layout: JSONFileStoreConfiguration.Layout { draft.layout }
  private var printer = JSONPrinter(capacity: pieceSize + 1 << 16)
  private(set) var size = 0
  private(set) var checksum = CRC32C()

  /// The number of bytes that are collected before they are written.
  private static let pieceSize = 1 << 20

  init(_ draft: DocumentDraft, to file: File) {
    self.draft = draft
    self.file = file
  }

  /// Writes a whole document.
  ///
  /// Rows that were not read are copied from the text of the document that was read, or with other
  /// whitespace if the layout differs.
  ///
  /// - Throws: `FileError` if the system fails.
  mutating func write(generation: Int64) throws(FileError) {
    writeHeader(generation: generation)
    beginMember("entities")
    printer.append(UInt8(ascii: "{"))
    for (index, table) in draft.state.tables.enumerated() {
      if index > 0 { printer.append(UInt8(ascii: ",")) }
      printer.beginLine(DocumentFormat.depths.entity, layout)
      printer.append(table.entity.name)
      printer.append(json: ": ")
      try write(table, draft.state.source)
    }
    printer.beginLine(DocumentFormat.depths.member, layout)
    printer.append(json: "}")
    try write(draft.state.history)
    printer.append(json: "\n}\n")
    try flush()
  }

  /// Writes the member `history`, one transaction per line, or nothing if it is empty.
  private mutating func write(_ history: History) throws(FileError) {
    if history.cut == 0, history.entries.isEmpty, history.readers.isEmpty { return }
    beginMember("history")
    printer.append(json: "{")
    printer.beginLine(DocumentFormat.depths.entity, layout)
    printer.append(json: "\"cut\": ")
    printer.append(history.cut)
    printer.append(json: ",")
    printer.beginLine(DocumentFormat.depths.entity, layout)
    if let save = history.cutSave {
      printer.append(json: "\"cutSave\": ")
      printer.append(save.text)
      printer.append(json: ",")
      printer.beginLine(DocumentFormat.depths.entity, layout)
    }
    if !history.readers.isEmpty {
      printer.append(json: "\"readers\": ")
      printer.append(elements: history.sortedReaders) { $0.append($1) }
      printer.append(json: ",")
      printer.beginLine(DocumentFormat.depths.entity, layout)
    }
    printer.append(json: "\"transactions\": [")
    for (index, line) in history.entries.enumerated() {
      if index > 0 { printer.append(UInt8(ascii: ",")) }
      printer.beginLine(DocumentFormat.depths.row, layout)
      printer.append(json: line.text)
      if printer.count >= Self.pieceSize { try flush() }
    }
    if !history.entries.isEmpty { printer.beginLine(DocumentFormat.depths.entity, layout) }
    printer.append(UInt8(ascii: "]"))
    printer.beginLine(DocumentFormat.depths.member, layout)
    printer.append(UInt8(ascii: "}"))
  }

  private mutating func writeHeader(generation: Int64) {
    printer.append(UInt8(ascii: "{"))
    beginMember("format", isFirst: true)
    printer.append(DocumentFormat.name)
    beginMember("version")
    printer.append(DocumentFormat.version)
    beginMember("store")
    printer.append(draft.store)
    beginMember("generation")
    printer.append(generation)
    beginMember("nextKey")
    printer.append(draft.state.nextKey)
    beginMember("schema")
    printer.append(json: draft.schema)
  }

  private mutating func beginMember(_ name: String, isFirst: Bool = false) {
    if !isFirst { printer.append(UInt8(ascii: ",")) }
    printer.beginLine(DocumentFormat.depths.member, layout)
    printer.append(name)
    printer.append(json: ": ")
  }

  private mutating func write(
    _ table: StoredTable,
    _ source: [UInt8]
  ) throws(FileError) {
    switch table.content {
    case .absent: printer.append(json: "[]")
    case .text(let range) where JSONFileStoreConfiguration.Layout(of: source) != layout:
      try writeAnew(source, range)
    case .text(let range):
      var start = range.lowerBound
      while start < range.upperBound {
        let end = min(start + Self.pieceSize, range.upperBound)
        source[start..<end].withUnsafeBufferPointer { printer.append(json: $0) }
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
    try table.withDirectAccess { (rows) throws(FileError) in
      let row = RowPrinter(table, rows, as: format)
      for slot in 0..<table.slotCount where table.isAlive(slot) {
        beginRow(&isFirst)
        switch layout {
        case .lines: row.print(slot, to: &printer)
        case .indented: printer.append(indented: table, slot, as: format)
        }
        if printer.count >= Self.pieceSize { try flush() }
      }
    }
    endRows(isEmpty: isFirst)
  }

  private mutating func beginRow(_ isFirst: inout Bool) {
    if !isFirst { printer.append(UInt8(ascii: ",")) }
    isFirst = false
    printer.beginLine(DocumentFormat.depths.row, layout)
  }

  private mutating func endRows(isEmpty: Bool) {
    if !isEmpty { printer.beginLine(DocumentFormat.depths.entity, layout) }
    printer.append(UInt8(ascii: "]"))
  }

  /// Writes rows that were not read in another layout, with unchanged values.
  private mutating func writeAnew(_ source: [UInt8], _ range: Range<Int>) throws(FileError) {
    let failure = source.withUnsafeBytes { bytes -> FileError? in
      do {
        var scanner = JSONScanner(bytes, in: range)
        var isFirst = true
        var isFirstRow = true
        try scanner.beginArray()
        printer.append(UInt8(ascii: "["))
        while try scanner.nextElement(&isFirst) {
          beginRow(&isFirstRow)
          try printer.appendRow(&scanner, bytes, layout)
          if printer.count >= Self.pieceSize { try flush() }
        }
        endRows(isEmpty: isFirstRow)
        return nil
      } catch let error as FileError {
        return error
      } catch {
        // The text was validated as JSON when the document was read; nothing else is ever written.
        return FileError(.write, path: file.path, code: FileError.unexpectedKind)
      }
    }
    if let failure { throw failure }
  }

  private mutating func flush() throws(FileError) {
    try printer.withBytes { (bytes) throws(FileError) in
      guard size + bytes.count <= draft.maximumSize else {
        throw FileError(.write, path: file.path, code: FileError.tooLarge)
      }
      checksum.update(bytes)
      try file.write(bytes, at: size)
      size += bytes.count
    }
    printer.removeAll()
  }
}

extension StoreSchema {
  /// Returns the schema as JSON on one line, identical for equal schemas.
  func text() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self))
  }
}
