import Foundation

/// The journal of a document by hand: a record a save, with its checksum and its line of the history.
final class KeptJournal {
  let path: String
  private let document: String
  private let descriptor: Int32
  private var number = 1

  init(of document: String, at path: String) throws {
    self.path = path
    self.document = document
    descriptor = try RawFile.opened(path, O_WRONLY | O_CREAT | O_APPEND)
  }

  deinit { close(descriptor) }

  /// Writes what changed in a context, durably, and has its objects know.
  func save(_ context: KeptContext) throws {
    // Both files are still those that were opened.
    var state = stat()
    guard stat(document, &state) == 0, fstat(descriptor, &state) == 0 else {
      throw BenchmarkError("\(document) is gone")
    }
    number += 1
    try RawFile.writeDurably(record(context), descriptor)
    for item in context.changed { item.settle(number) }
    context.changed.removeAll(keepingCapacity: true)
    context.originals.removeAll(keepingCapacity: true)
  }

  /// How many records the journal has.
  func recordCount() throws -> Int { try RawFile.bytes(path).count { $0 == 10 } }

  private func record(_ context: KeptContext) -> [UInt8] {
    let time = Date().timeIntervalSinceReferenceDate
    let keys = KeyRanges.text(context.changed.map(\.key))
    let rows = context.changed.map { "{\"$id\":\($0.key),\"number\":\($0.number)}" }
    var text = """
      {"next":100001,"history":{"number":\(number),"time":{"$date":\(time)},"bundle":"benchmark",\
      "process":"1","changes":[{"update":"Item","keys":\(keys),"properties":["number"]}]},\
      "update":{"Item":[\(rows.joined(separator: ","))]}}
      """
    let sum = text.withUTF8 { Checksum.crc32c($0) }
    let head = String(format: "%010d %08x ", text.utf8.count, sum)
    return Array(head.utf8) + Array(text.utf8) + [10]
  }
}

/// CRC-32C as RFC 3720 has it, a byte at a time.
private enum Checksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
  }

  static func crc32c(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let table = table
    return ~bytes.reduce(~0) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 255)] }
  }
}
