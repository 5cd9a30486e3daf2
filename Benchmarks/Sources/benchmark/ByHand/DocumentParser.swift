import Foundation

/// A parser of the store's own document by hand, for the one model of the benchmark.
///
/// It knows which members come in which order and does no more than it must: no other order, no
/// check that a key or a name comes once, no escapes in texts, no nesting.
struct DocumentParser {
  private var next: UnsafePointer<UInt8>
  private let end: UnsafePointer<UInt8>

  /// The objects of a document.
  static func items(_ data: [UInt8]) throws -> [PlainItem] {
    try data.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return [] }
      var parser = DocumentParser(next: start, end: start + bytes.count)
      return try parser.items()
    }
  }

  /// The object of a key: the first that begins with it.
  static func item(_ data: [UInt8], key: Int) throws -> PlainItem {
    let word = Array("{\"$id\":\(key),".utf8)
    return try data.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { throw BenchmarkError("the document is empty") }
      let end = start + bytes.count
      var next = start
      while let found = memchr(next, Int32(UInt8(ascii: "{")), end - next) {
        next = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
        if end - next >= word.count, memcmp(next, word, word.count) == 0 {
          var parser = DocumentParser(next: next, end: end)
          return try parser.item()
        }
        next += 1
      }
      throw BenchmarkError("the document lacks the key \(key)")
    }
  }

  /// The objects of a document in a context, and the columns that queries read.
  static func keptItems(
    _ data: [UInt8],
    in context: KeptContext
  ) throws -> (items: [KeptItem], columns: KeptColumns) {
    try data.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return ([], KeptColumns()) }
      var parser = DocumentParser(next: start, end: start + bytes.count)
      try parser.skip(behind: "\"Item\": [\n")
      let first = parser.next
      var found: (items: [KeptItem], columns: KeptColumns) = ([], KeptColumns())
      while parser.next < parser.end, parser.next.pointee == UInt8(ascii: "{") {
        let item = try KeptItem(&parser, context)
        context.items.add(item, item.key)
        found.items.append(item)
        found.columns.add(item)
        try parser.expect("}")
        if parser.next < parser.end, parser.next.pointee == UInt8(ascii: ",") { parser.next += 1 }
        parser.next += 1
        if found.items.count == 1 {
          let count = (parser.end - first) / (parser.next - first)
          found.items.reserveCapacity(count)
          found.columns.reserveCapacity(count)
        }
      }
      return found
    }
  }

  private mutating func items() throws -> [PlainItem] {
    try skip(behind: "\"Item\": [\n")
    var items: [PlainItem] = []
    while next < end, next.pointee == UInt8(ascii: "{") {
      items.append(try item())
      try expect("}")
      if next < end, next.pointee == UInt8(ascii: ",") { next += 1 }
      next += 1
    }
    return items
  }

  private mutating func item() throws -> PlainItem {
    PlainItem(
      id: try integer("{\"$id\":"),
      number: try integer(",\"number\":"),
      group: try integer(",\"group\":"),
      rank: try integer(",\"rank\":"),
      price: try double(",\"price\":"),
      weight: try double(",\"weight\":"),
      name: try text(",\"name\":\""),
      city: try text(",\"city\":\""),
      note: try text(",\"note\":\""),
      created: try date(",\"created\":\"")
    )
  }

  private mutating func skip(behind word: StaticString) throws {
    let count = word.utf8CodeUnitCount
    while end - next >= count {
      if memcmp(next, word.utf8Start, count) == 0 {
        next += count
        return
      }
      next += 1
    }
    throw BenchmarkError("the document lacks \(word)")
  }

  @inline(__always)
  private mutating func expect(_ word: StaticString) throws {
    let count = word.utf8CodeUnitCount
    guard end - next >= count, memcmp(next, word.utf8Start, count) == 0 else {
      throw BenchmarkError("the document has something else where \(word) belongs")
    }
    next += count
  }

  private var digit: Int? {
    guard next < end, (48...57).contains(next.pointee) else { return nil }
    return Int(next.pointee &- 48)
  }

  mutating func integer(_ name: StaticString) throws -> Int {
    try expect(name)
    return digits()
  }

  private mutating func digits() -> Int {
    var value = 0
    while let digit {
      value = value &* 10 &+ digit
      next += 1
    }
    return value
  }

  /// A number with few digits is exact by one division; another goes through the C library.
  mutating func double(_ name: StaticString) throws -> Double {
    try expect(name)
    let start = next
    var mantissa = digits()
    guard next < end, next.pointee == UInt8(ascii: ".") else { return Double(mantissa) }
    next += 1
    let point = next
    while let digit {
      mantissa = mantissa &* 10 &+ digit
      next += 1
    }
    let decimals = next - point
    let isPlain = next < end && next.pointee != UInt8(ascii: "e") && next - start < 16
    if isPlain { return Double(mantissa) / Self.powers[decimals] }
    var tail: UnsafeMutablePointer<CChar>?
    let value = UnsafeRawPointer(start).withMemoryRebound(to: CChar.self, capacity: end - start) {
      strtod($0, &tail)
    }
    if let tail { next = start + (UnsafeRawPointer(tail) - UnsafeRawPointer(start)) }
    return value
  }

  private static let powers = (0..<16).map { pow(10, Double($0)) }

  mutating func text(_ name: StaticString) throws -> String {
    try expect(name)
    guard let quote = memchr(next, 34, end - next) else {
      throw BenchmarkError("the document ends within a text")
    }
    let count = UnsafeRawPointer(quote) - UnsafeRawPointer(next)
    let bytes = UnsafeBufferPointer(start: next, count: count)
    next += count + 1
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A text that may hold anything: what stands escaped is noticed, and what is no Unicode.
  mutating func checkedText(_ name: StaticString) throws -> String {
    try expect(name)
    let start = next
    while next < end, next.pointee != 34 {
      guard next.pointee >= 32, next.pointee != 92 else {
        throw BenchmarkError("the document has an escape, which no row of the benchmark has")
      }
      next += 1
    }
    let bytes = UnsafeBufferPointer(start: start, count: next - start)
    next += 1
    guard let text = String(unmended: bytes) else {
      throw BenchmarkError("the document has a text that is no Unicode")
    }
    return text
  }

  /// A date as 2026-12-24T00:00:00Z.
  mutating func date(_ name: StaticString) throws -> Date {
    try expect(name)
    let year = digits()
    next += 1
    let month = digits()
    next += 1
    let day = digits()
    next += 1
    var seconds = digits() * 3600
    next += 1
    seconds += digits() * 60
    next += 1
    seconds += digits()
    try expect("Z\"")
    let days = CivilDay.number(year: year, month: month, day: day)
    return Date(timeIntervalSinceReferenceDate: Double(days * 86_400 + seconds))
  }
}
