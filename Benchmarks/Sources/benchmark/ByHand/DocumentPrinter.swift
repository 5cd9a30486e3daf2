import Foundation

/// A printer of rows as the store's own document has them, by hand and for the one model.
struct DocumentPrinter {
  private(set) var bytes: [UInt8] = []

  /// The rows of a document, with nothing around them but what the parser by hand looks for.
  static func document(_ items: [PlainItem]) -> [UInt8] {
    var printer = DocumentPrinter()
    printer.bytes.reserveCapacity(items.count * 256)
    printer.put("{\n\"entities\": {\n\"Item\": [\n")
    for (index, item) in items.enumerated() {
      printer.put(item)
      printer.put(index == items.count - 1 ? "\n" : ",\n")
    }
    printer.put("]\n}\n}\n")
    return printer.bytes
  }

  private mutating func put(_ item: PlainItem) {
    put("{\"$id\":")
    put(item.id)
    put(",\"number\":")
    put(item.number)
    put(",\"group\":")
    put(item.group)
    put(",\"rank\":")
    put(item.rank)
    put(",\"price\":")
    put(item.price)
    put(",\"weight\":")
    put(item.weight)
    put(",\"name\":\"")
    put(text: item.name)
    put("\",\"city\":\"")
    put(text: item.city)
    put("\",\"note\":\"")
    put(text: item.note)
    put("\",\"created\":\"")
    put(item.created)
    put("\"}")
  }

  private mutating func put(_ word: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    )
  }

  private mutating func put(_ number: Int, digits least: Int = 1) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = number.magnitude
      var start = 20
      while rest > 0 || 20 - start < least {
        start -= 1
        digits[start] = 48 + UInt8(rest % 10)
        rest /= 10
      }
      if number < 0 { bytes.append(UInt8(ascii: "-")) }
      bytes.append(contentsOf: digits[start..<20])
    }
  }

  private mutating func put(_ number: Double) {
    var text = number.description
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  /// A text in which a quote, a backslash or a control character is escaped.
  private mutating func put(text: String) {
    var text = text
    text.withUTF8 { characters in
      if characters.contains(where: { $0 < 32 || $0 == 34 || $0 == 92 }) {
        for byte in characters { put(escaped: byte) }
      } else {
        bytes.append(contentsOf: characters)
      }
    }
  }

  private mutating func put(escaped byte: UInt8) {
    switch byte {
    case 34, 92: bytes += [92, byte]
    case ..<32: bytes += Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
    default: bytes.append(byte)
    }
  }

  private mutating func put(_ date: Date) {
    let seconds = Int(date.timeIntervalSinceReferenceDate)
    let (days, time) = (seconds / 86_400, seconds % 86_400)
    let day = CivilDay.date(days)
    put(day.year, digits: 4)
    put("-")
    put(day.month, digits: 2)
    put("-")
    put(day.day, digits: 2)
    put("T")
    put(time / 3600, digits: 2)
    put(":")
    put(time / 60 % 60, digits: 2)
    put(":")
    put(time % 60, digits: 2)
    put("Z")
  }
}
