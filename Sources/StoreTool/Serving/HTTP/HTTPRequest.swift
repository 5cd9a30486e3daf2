import Foundation

/// A request of a browser, parsed strictly: only what is explicitly allowed is accepted.
struct HTTPRequest {
  /// The largest number of bytes of a request up to the empty line that ends it.
  static let longestHead = 8192
  /// The largest number of bytes of a request's target.
  static let longestTarget = 2048

  /// Whether the response is sent without its body.
  let isHead: Bool
  /// The parts of the path between slashes, with percent escapes decoded.
  let path: [String]
  /// The query values, by name.
  let query: [String: String]

  /// Returns whether bytes contain the empty line that ends a request without a body.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    let end = Array("\r\n\r\n".utf8)
    guard bytes.count >= end.count else { return false }
    return bytes.indices.dropLast(3).contains {
      bytes[$0..<$0 + 4].elementsEqual(end)
    }
  }

  /// Parses a request.
  ///
  /// - Parameters:
  ///   - bytes: All bytes up to the empty line, possibly with some after it.
  ///   - hosts: The valid names of the server, in lower case, with port.
  /// - Throws: The status with the reason of a refusal.
  init(_ bytes: [UInt8], hosts: Set<String>) throws(HTTPStatus) {
    guard Self.isWhole(bytes) else {
      throw bytes.count >= Self.longestHead ? .headTooLarge : .badRequest
    }
    // Bytes that are not UTF-8 become characters that no rule below allows.
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

  /// Refuses names that are not the server's.
  ///
  /// The name is the one that the browser used: if a page of another site resolved its own name to
  /// this machine, the request would contain that name.
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

  /// Returns whether a byte is allowed in the name of a field (RFC 9110, 5.6.2).
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
