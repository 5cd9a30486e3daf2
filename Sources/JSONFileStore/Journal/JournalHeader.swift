import StoreFiles
import StoreProtocol

/// The first record of a journal: the document that it continues, and how it was synced.
struct JournalHeader: Hashable {
  static let name = "OpenSwiftData journal"
  static let version: Int64 = 3
  /// The salt of the header's checksum, which is independent of the store.
  static let salt = JournalFrame.Salt(store: "", generation: 0)

  let store: String
  /// The generation of the document that the records change.
  let generation: Int64
  /// The size of that document; its checksum follows.
  let documentSize: Int64
  let documentChecksum: UInt32
  /// Whether each record was synced to disk before the next was written.
  let isSynced: Bool

  /// The salt of the records after the header.
  var recordSalt: JournalFrame.Salt { .init(store: store, generation: generation) }

  /// Returns why the journal does not belong to a document, or `nil` if it may.
  func objection(store: String, generation: Int64) -> String? {
    if self.store != store { return "the journal belongs to another store" }
    if self.generation > generation {
      return "the journal belongs to a later state of the document"
    }
    return nil
  }

  /// Returns whether the records change a document with these bytes.
  func isWritten(for document: [UInt8]) -> Bool {
    Int(documentSize) == document.count
      && document.withUnsafeBytes { CRC32C.checksum(of: $0) } == documentChecksum
  }

  /// Returns an upper bound for the bytes of a store's framed header.
  static func mostBytes(store: String) -> Int { 512 + 6 * store.utf8.count }

  /// The framed header.
  var bytes: [UInt8] {
    var printer = JSONPrinter()
    printer.append(json: "{\"format\":")
    printer.append(Self.name)
    printer.append(json: ",\"version\":")
    printer.append(Self.version)
    printer.append(json: ",\"store\":")
    printer.append(store)
    printer.append(json: ",\"generation\":")
    printer.append(generation)
    printer.append(json: ",\"documentSize\":")
    printer.append(documentSize)
    printer.append(json: ",\"documentChecksum\":")
    printer.append(Int64(documentChecksum))
    printer.append(json: ",\"synced\":")
    printer.append(isSynced)
    printer.append(UInt8(ascii: "}"))
    return JournalFrame.framed(printer.bytes, salt: Self.salt, number: 0)
  }

}

extension JournalHeader {
  /// Parses the text of a header.
  ///
  /// - Throws: `storeTooNew` for a later version, or `JSONError`.
  init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>, file: String) throws {
    var scanner = JSONScanner(bytes, in: range)
    var numbers: [String: Int64] = [:]
    var texts: [String: String] = [:]
    var isSynced = true
    var isFirst = true
    try scanner.beginObject()
    while let text = try scanner.nextMember(&isFirst) {
      let key = try scanner.string(of: text)
      switch key {
      case "format", "store": texts[key] = try scanner.readString()
      case "synced": isSynced = try scanner.readBool()
      default: numbers[key] = try scanner.readInteger()
      }
    }
    try Self.check(texts["format"], numbers["version"], file: file)
    self.init(
      store: texts["store"] ?? "",
      generation: numbers["generation"] ?? 0,
      documentSize: numbers["documentSize"] ?? 0,
      documentChecksum: UInt32(truncatingIfNeeded: numbers["documentChecksum"] ?? 0),
      isSynced: isSynced
    )
  }

  private static func check(_ format: String?, _ version: Int64?, file: String) throws {
    guard format == name, let version else {
      throw DataStoreError(.storeNotTrusted, "the file is not a journal", file: file)
    }
    guard version <= Self.version else {
      throw DataStoreError(
        .storeTooNew,
        "the journal has format \(version), and this program supports \(Self.version): update the "
          + "program",
        file: file
      )
    }
  }
}
