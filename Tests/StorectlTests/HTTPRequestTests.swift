import StoreTestSupport
import Testing

@testable import StoreTool

@Suite("HTTPRequest")
struct HTTPRequestTests {
  static let hosts: Set<String> = ["127.0.0.1:80", "localhost:80"]

  private static func read(_ text: String) throws(HTTPStatus) -> HTTPRequest {
    try HTTPRequest(Array(text.utf8), hosts: hosts)
  }

  @Test func `a path is split before its escapes are decoded`() throws {
    let request = try Self.read(
      "GET /objects/A%2FB/7?sort=-a%26b&page=2&sort2 HTTP/1.1\r\nHost: localhost:80\r\n\r\n"
    )
    #expect(request.path == ["objects", "A/B", "7"])
    #expect(request.query == ["sort": "-a&b", "page": "2", "sort2": ""])
    #expect(!request.isHead)
  }

  @Test func `field names ignore case, and values ignore surrounding whitespace`() throws {
    let request = try Self.read("HEAD / HTTP/1.0\r\nhOsT: \t LOCALHOST:80 \r\nX-A:\r\n\r\n")
    #expect(request.isHead && request.path.isEmpty)
  }

  /// Invalid requests and their status.
  static let refused: [(text: String, status: HTTPStatus)] = [
    ("POST / HTTP/1.1\r\nHost: localhost:80\r\n\r\n", .methodNotAllowed),
    ("PUT / HTTP/1.1\r\nHost: localhost:80\r\n\r\n", .methodNotAllowed),
    ("get / HTTP/1.1\r\nHost: localhost:80\r\n\r\n", .methodNotAllowed),
    ("GET / HTTP/1.1\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: localhost:80\r\nHost: localhost:80\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", .misdirected),
    ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", .misdirected),
    ("GET / HTTP/1.1\r\nHost: localhost:81\r\n\r\n", .misdirected),
    ("GET / HTTP/1.1\r\nHost: localhost:80.evil.example\r\n\r\n", .misdirected),
    ("GET / HTTP/2\r\nHost: localhost:80\r\n\r\n", .unknownVersion),
    ("GET  / HTTP/1.1\r\nHost: localhost:80\r\n\r\n", .badRequest),
    ("GET http://localhost:80/ HTTP/1.1\r\nHost: localhost:80\r\n\r\n", .badRequest),
    ("GET /%zz HTTP/1.1\r\nHost: localhost:80\r\n\r\n", .badRequest),
    ("GET /%ff HTTP/1.1\r\nHost: localhost:80\r\n\r\n", .badRequest),
    ("GET /ä HTTP/1.1\r\nHost: localhost:80\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: localhost:80\r\nContent-Length: 4\r\n\r\nabcd", .contentTooLarge),
    (
      "GET / HTTP/1.1\r\nHost: localhost:80\r\nTransfer-Encoding: chunked\r\n\r\n", .contentTooLarge
    ),
    ("GET / HTTP/1.1\r\nHost: localhost:80\r\n Folded: x\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost : localhost:80\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: localhost:80\r\nX: a\u{0}b\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: localhost:80\nX: y\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: localhost:80\r\nnonsense\r\n\r\n", .badRequest),
    ("\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: localhost:80\r\n", .badRequest),
    ("", .badRequest),
    (
      "GET /\(String(repeating: "a", count: 3000)) HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
      .targetTooLong
    ),
    (String(repeating: "a", count: 9000), .headTooLarge),
    (
      "GET / HTTP/1.1\r\nHost: localhost:80\r\n"
        + String(repeating: "X: y\r\n", count: 101) + "\r\n",
      .headTooLarge
    ),
  ]

  @Test(arguments: refused.indices)
  func `an invalid request is refused with a status`(index: Int) {
    let (text, status) = Self.refused[index]
    #expect(throws: status) { _ = try Self.read(text) }
  }

  @Test func `random changes of a request do not crash the parser`() {
    var random = SeededGenerator(seed: 11)
    let request = Array("GET /a%20b?c=d HTTP/1.1\r\nHost: localhost:80\r\nX: y\r\n\r\n".utf8)
    var accepted = 0
    for _ in 0..<2_000 {
      var bytes = request
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        bytes[index] = UInt8.random(in: 0...255, using: &random)
      }
      if (try? HTTPRequest(bytes, hosts: Self.hosts)) != nil { accepted += 1 }
    }
    #expect(accepted > 0)
  }
}
