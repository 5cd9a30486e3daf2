import Foundation
import Testing

@testable import StoreTool

@Suite("LoopbackServer")
struct LoopbackServerTests {
  /// Sends bytes to a server that handles one request, and returns the response.
  private static func response(to request: String, parts: Int = 1) throws -> String {
    let server = try LoopbackServer(port: 0)
    let client = try LoopbackClient(port: server.port)
    let bytes = Array(request.utf8)
    try server.serveNext { received in
      Array("got \(received?.count ?? -1)".utf8)
    }
    let size = max(1, bytes.count / parts)
    for start in stride(from: 0, to: bytes.count, by: size) {
      client.send(Array(bytes[start..<min(start + size, bytes.count)]))
    }
    return client.receiveAll()
  }

  @Test func `a request gets a response and the connection is closed`() throws {
    #expect(try Self.response(to: "GET / HTTP/1.1\r\n\r\n") == "got 18")
  }

  @Test func `a request can arrive in several parts`() throws {
    #expect(try Self.response(to: "GET /abc HTTP/1.1\r\nHost: x\r\n\r\n", parts: 7) == "got 30")
  }

  @Test func `a request that is too long is truncated and gets a response`() throws {
    let long = "GET /" + String(repeating: "a", count: 20_000)
    #expect(try Self.response(to: long) == "got \(HTTPRequest.longestHead)")
  }

  @Test func `a client that disconnects does not stop the server`() throws {
    let server = try LoopbackServer(port: 0)
    for _ in 0..<3 {
      let client = try LoopbackClient(port: server.port)
      client.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
      client.end()
      try server.serveNext { _ in [UInt8](repeating: 65, count: 2_000_000) }
    }
    let client = try LoopbackClient(port: server.port)
    client.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
    try server.serveNext { _ in Array("still there".utf8) }
    #expect(client.receiveAll() == "still there")
  }

  @Test func `a slow client times out with a response, and a silent client without one`() throws {
    let server = try LoopbackServer(port: 0, patience: .milliseconds(50))
    let silent = try LoopbackClient(port: server.port)
    try server.serveNext { _ in Array("something".utf8) }
    #expect(silent.receiveAll() == "")
    let slow = try LoopbackClient(port: server.port)
    slow.send(Array("GET / HT".utf8))
    try server.serveNext { Array("late \($0 == nil)".utf8) }
    #expect(slow.receiveAll() == "late true")
  }

  @Test func `a long response arrives completely`() throws {
    let server = try LoopbackServer(port: 0)
    let client = try LoopbackClient(port: server.port)
    client.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
    try server.serveNext { _ in [UInt8](repeating: 65, count: 3_000_000) }
    #expect(client.receiveAll().utf8.count == 3_000_000)
  }

  @Test func `a port in use is an error that names the port`() throws {
    let server = try LoopbackServer(port: 0)
    do {
      _ = try LoopbackServer(port: server.port)
      Issue.record("the port was opened twice")
    } catch {
      #expect(error.localizedDescription.contains("127.0.0.1:\(server.port)"))
    }
  }
}

/// The other side of a connection.
private final class LoopbackClient {
  private let descriptor: Int32
  private var isOpen = true

  init(port: UInt16) throws {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw LoopbackSocket.Failure(call: "connect", code: errno) }
  }

  deinit {
    end()
  }

  func send(_ bytes: [UInt8]) {
    LoopbackSocket.send(bytes, to: descriptor, until: .now + .seconds(60))
  }

  func receiveAll() -> String {
    var bytes: [UInt8] = []
    while true {
      let received = LoopbackSocket.receive(descriptor, atMost: 65_536, until: .now + .seconds(60))
      if received.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += received
    }
  }

  func end() {
    if isOpen { LoopbackSocket.end(descriptor) }
    isOpen = false
  }
}
