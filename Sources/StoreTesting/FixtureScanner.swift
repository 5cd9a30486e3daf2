import Foundation
import OpenSwiftData

/// Parses JSON and keeps the position of each value.
struct FixtureScanner {
  /// The largest nesting depth of values, which bounds the recursion.
  private static let depthLimit = 100

  private let fixture: Fixture
  private var index = 0
  private var line = 1
  private var depth = 0
  private var bytes: [UInt8] { fixture.bytes }

  init(_ fixture: Fixture) { self.fixture = fixture }

  mutating func document() throws -> FixtureNode {
    let node = try value()
    skipSpace()
    guard index == bytes.count else { throw failure("the fixture continues after its last value") }
    return node
  }

  private mutating func value() throws -> FixtureNode {
    skipSpace()
    guard index < bytes.count else { throw failure("the fixture ends where a value is expected") }
    let (start, startLine) = (index, line)
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw failure("values nest deeper than 100 levels") }
    let content: FixtureNode.Content
    switch bytes[index] {
    case UInt8(ascii: "{"): content = .object(try members())
    case UInt8(ascii: "["): content = .list(try elements())
    case UInt8(ascii: "\""): content = .text(try string())
    default: content = .plain(try plain())
    }
    return FixtureNode(line: startLine, range: start..<index, content: content)
  }

  private mutating func members() throws -> [FixtureNode.Member] {
    var members: [FixtureNode.Member] = []
    var names: Set<String> = []
    try list(until: "}") { scanner in
      guard scanner.peek == UInt8(ascii: "\"") else {
        throw scanner.failure("the name of a member is expected, in quotes")
      }
      let line = scanner.line
      let name = try scanner.string()
      guard names.insert(name).inserted else {
        throw scanner.failure("the member \"\(name)\" occurs twice")
      }
      scanner.skipSpace()
      try scanner.take(":")
      members.append(FixtureNode.Member(name: name, line: line, value: try scanner.value()))
    }
    return members
  }

  private mutating func elements() throws -> [FixtureNode] {
    var elements: [FixtureNode] = []
    try list(until: "]") { elements.append(try $0.value()) }
    return elements
  }

  /// Reads the comma-separated elements between brackets.
  private mutating func list(
    until end: Unicode.Scalar,
    _ element: (inout FixtureScanner) throws -> Void
  ) throws {
    index += 1
    skipSpace()
    if peek == UInt8(ascii: end) {
      index += 1
      return
    }
    while true {
      skipSpace()
      try element(&self)
      skipSpace()
      if peek == UInt8(ascii: end) { break }
      try take(",", or: end)
    }
    index += 1
  }

  private mutating func string() throws -> String {
    let (start, startLine) = (index, line)
    index += 1
    while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\n") {
      index += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    guard peek == UInt8(ascii: "\"") else {
      throw fixture.failure("a string has no closing quote", line: startLine)
    }
    index += 1
    do {
      return try JSONDecoder().decode(String.self, from: Data(bytes[start..<index]))
    } catch {
      throw fixture.failure("a string is not valid JSON", line: startLine, cause: error)
    }
  }

  private mutating func plain() throws -> String {
    let start = index
    let ends = Set(" \t\r\n,:[]{}\"".utf8)
    while let byte = peek, !ends.contains(byte) { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    guard ["true", "false", "null"].contains(text) || Double(text) != nil else {
      throw failure(
        text.isEmpty
          ? "a value is expected" : "\(text.prefix(40)) is not a value; put strings in quotes"
      )
    }
    return text
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) {
      if byte == UInt8(ascii: "\n") { line += 1 }
      index += 1
    }
  }

  private mutating func take(_ wanted: Unicode.Scalar, or other: Unicode.Scalar? = nil) throws {
    guard peek == UInt8(ascii: wanted) else {
      let both = other.map { "\(wanted) or \($0)" } ?? "\(wanted)"
      throw failure("\(both) is expected")
    }
    index += 1
  }

  private func failure(_ reason: String) -> DataStoreError { fixture.failure(reason, line: line) }
}
