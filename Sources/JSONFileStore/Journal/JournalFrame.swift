import StoreFiles
import StoreProtocol

/// The format of records in a journal: one line each, with the length and the checksum before the
/// text.
///
///     0000000123 1a2b3c4d {…}
///
/// The checksum also covers the store, the generation and the number of the record. A record of
/// another journal, which may reappear on a disk after a loss of power, is therefore not accepted.
enum JournalFrame {
  /// The number of bytes before a record's text: ten digits, a space, eight digits, a space.
  static let headSize = 20
  /// The number of bytes around a record's text.
  static let overhead = headSize + 1
  /// The maximum length of a record, which the head can represent.
  static let longestRecord = 9_999_999_999

  /// The data that the checksum of a record covers in addition to its text.
  struct Salt: Hashable {
    let store: String
    let generation: Int64
    /// The checksum of both, with which the checksum of each record starts.
    fileprivate let beginning: CRC32C

    init(store: String, generation: Int64) {
      self.store = store
      self.generation = generation
      var checksum = CRC32C()
      Array("\(store)/\(generation)/".utf8).withUnsafeBytes { checksum.update($0) }
      beginning = checksum
    }
  }

  /// Returns a framed record.
  static func framed(_ text: [UInt8], salt: Salt, number: Int) -> [UInt8] {
    var printer = JSONPrinter(capacity: text.count + overhead)
    printer.append(UInt64(text.count), digits: 10)
    printer.append(UInt8(ascii: " "))
    let sum = text.withUnsafeBytes { checksum(of: $0, salt: salt, number: number) }
    var digits = sum.hexadecimal
    digits.withUTF8 { printer.append(json: $0) }
    printer.append(UInt8(ascii: " "))
    printer.append(json: text)
    printer.append(UInt8(ascii: "\n"))
    return printer.bytes
  }

  /// Returns the text of the record at an offset, or `nil` if there is none.
  static func record(
    at offset: Int,
    in bytes: UnsafeRawBufferPointer,
    salt: Salt,
    number: Int
  ) -> Range<Int>? {
    guard let (range, sum) = head(at: offset, in: bytes) else { return nil }
    let text = UnsafeRawBufferPointer(rebasing: bytes[range])
    return checksum(of: text, salt: salt, number: number) == sum ? range : nil
  }

  /// Returns whether a complete record starts at an offset, on its own line, with one of several
  /// numbers.
  ///
  /// - Parameters:
  ///   - offset: The possible start of the record.
  ///   - bytes: The bytes of the journal.
  ///   - beginnings: The checksums of the data before the text, one for each number.
  /// - Returns: Whether a record starts there.
  /// - Complexity: O(*n* + *m*) in the length of the line and the count of the numbers.
  static func isRecord(
    at offset: Int,
    in bytes: UnsafeRawBufferPointer,
    _ beginnings: [UInt32]
  ) -> Bool {
    // Overlapping records are invalid, and would be checksummed repeatedly.
    guard let (range, sum) = head(at: offset, in: bytes), !bytes[range].contains(0x0A) else {
      return false
    }
    let text = CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: bytes[range]))
    let behind = CRC32C.Extension(byteCount: range.count)
    return beginnings.contains { behind.joined($0, text) == sum }
  }

  /// Returns the checksum of the data before the text of a record.
  static func beginning(_ salt: Salt, number: Int) -> UInt32 {
    checksum(of: UnsafeRawBufferPointer(start: nil, count: 0), salt: salt, number: number)
  }

  /// Returns the claimed end of the record at an offset, complete or not.
  static func claimedEnd(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard offset >= 0, bytes.count - offset >= overhead,
      let length = number(bytes[offset..<offset + 10], radix: 10),
      Int(length) <= bytes.count - offset - overhead
    else { return nil }
    return offset + overhead + Int(length)
  }

  /// Returns the range and the checksum of the text according to a head, if the complete record is
  /// in the file.
  private static func head(
    at offset: Int,
    in bytes: UnsafeRawBufferPointer
  ) -> (range: Range<Int>, checksum: UInt32)? {
    guard offset >= 0, bytes.count - offset >= overhead, bytes[offset + 10] == 0x20,
      bytes[offset + 19] == 0x20,
      let length = number(bytes[offset..<offset + 10], radix: 10),
      let sum = number(bytes[offset + 11..<offset + 19], radix: 16),
      Int(length) <= bytes.count - offset - overhead,
      bytes[offset + headSize + Int(length)] == 0x0A
    else { return nil }
    let start = offset + headSize
    return (start..<start + Int(length), UInt32(truncatingIfNeeded: sum))
  }

  private static func number(
    _ digits: Slice<UnsafeRawBufferPointer>,
    radix: UInt64
  ) -> UInt64? {
    var number: UInt64 = 0
    for byte in digits {
      let digit: UInt64
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f") where radix == 16:
        digit = UInt64(byte - UInt8(ascii: "a")) + 10
      default: return nil
      }
      number = number * radix + digit
    }
    return number
  }

  private static func checksum(
    of text: UnsafeRawBufferPointer,
    salt: Salt,
    number: Int
  ) -> UInt32 {
    var checksum = salt.beginning
    var head = "\(number)/"
    head.withUTF8 { checksum.update(UnsafeRawBufferPointer($0)) }
    checksum.update(text)
    return checksum.value
  }
}
