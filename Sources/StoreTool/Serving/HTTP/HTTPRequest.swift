import Foundation

/// A request of a browser, read strictly: what is not plainly allowed is refused.
struct HTTPRequest {
  /// How many bytes a request may have up to the empty line that ends it.
  static let longestHead = 8192
  /// How many bytes the target of a request may have.
  static let longestTarget = 2048

  /// Whether the answer goes without its body.
  let isHead: Bool
  /// The parts of the path between slashes, with percent signs undone.
  let path: [String]
  /// The values behind the question mark, by name.
  let query: [String: String]

  /// Whether bytes have the empty line that ends a request without a body.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    let end = Array("\r\n\r\n".utf8)
    guard bytes.count >= end.count else { return false }
    return bytes.indices.dropLast(3).contains {
      bytes[$0..<$0 + 4].elementsEqual(end)
    }
  }

  /// Reads a request.
  ///
  /// - Parameters:
  ///   - bytes: All bytes up to the empty line, perhaps with some behind it.
  ///   - hosts: The names under which the server may be asked, in lower case, with port.
  /// - Throws: The status that says why it is refused.
  init(_ bytes: [UInt8], hosts: Set<String>) throws(HTTPStatus) {
    guard Self.isWhole(bytes) else {
      throw bytes.count >= Self.longestHead ? .headTooLarge : .badRequest
    }
    // Bytes that are no UTF-8 become characters that no rule below allows.
    let text = String(decoding: bytes, as: UTF8.self)
    var lines = text.components(separatedBy: "\r\n")[...]
    let line = lines.popFirst() ?? ""
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty else {
      throw line.utf8.count > Self.longestTarget ? .targetTooLong : .badRequest
    }
    guard words[1].utf8.count <= Self.longestTarget else { throw .targetTooLong }
    guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else { throw .unknownVersion }
    let fields = try Self.fields(lines.prefix { !$0.isEmpty })
    try Self.checkHost(fields, hosts: hosts)
    guard words[0] == "GET" || words[0] == "HEAD" else { throw .methodNotAllowed }
    try Self.checkBody(fields)
    isHead = words[0] == "HEAD"
    (path, query) = try Self.parts(of: words[1])
  }

  /// Refuses names that are none of the server's.
  ///
  /// The name tells whom the browser believes to ask: a page of another site that had its own name
  /// lead to this machine would name itself here.
  private static func checkHost(
    _ fields: [(name: String, value: String)],
    hosts: Set<String>
  ) throws(HTTPStatus) {
    let names = fields.filter { $0.name == "host" }.map { $0.value.lowercased() }
    guard names.count == 1 else { throw .badRequest }
    guard hosts.contains(names[0]) else { throw .misdirected }
  }

  /// Refuses requests with a body.
  private static func checkBody(_ fields: [(name: String, value: String)]) throws(HTTPStatus) {
    if fields.contains(where: { $0.name == "transfer-encoding" }) { throw .contentTooLarge }
    for field in fields where field.name == "content-length" && field.value != "0" {
      throw .contentTooLarge
    }
  }

  private static func fields(
    _ lines: ArraySlice<String>
  ) throws(HTTPStatus) -> [(name: String, value: String)] {
    guard lines.count <= 100 else { throw .headTooLarge }
    var fields: [(name: String, value: String)] = []
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { throw .badRequest }
      let name = line[..<colon]
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      guard !name.isEmpty, name.utf8.allSatisfy(isToken),
        value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" })
      else { throw .badRequest }
      fields.append((name.lowercased(), value.trimmingCharacters(in: .whitespaces)))
    }
    return fields
  }

  /// Whether a byte may stand in the name of a field (RFC 9110, 5.6.2).
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func parts(
    of target: Substring
  ) throws(HTTPStatus) -> (path: [String], query: [String: String]) {
    guard target.hasPrefix("/"), target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .badRequest
    }
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path: [String] = []
    for part in halves[0].split(separator: "/") { path.append(try decoded(part)) }
    var query: [String: String] = [:]
    for item in (halves.count > 1 ? halves[1] : "").split(separator: "&") {
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      query[try decoded(pair[0])] = pair.count > 1 ? try decoded(pair[1]) : ""
    }
    return (path, query)
  }

  private static func decoded(_ text: Substring) throws(HTTPStatus) -> String {
    guard let decoded = text.replacing("+", with: "%20").removingPercentEncoding else {
      throw .badRequest
    }
    return decoded
  }
}
