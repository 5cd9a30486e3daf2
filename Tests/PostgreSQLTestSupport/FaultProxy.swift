import Foundation
import Synchronization

/// A relay between clients and a server, both on Unix sockets, that disturbs connections.
///
/// A rule looks at each piece of bytes on its way and decides what becomes of it.
package final class FaultProxy: Sendable {
  package enum Direction: Sendable {
    case toServer
    case toClient
  }

  package enum Action: Sendable {
    /// Passes the bytes on.
    case pass
    /// Passes the bytes on, and the rest of the connection in both directions is lost.
    case passAndCut
    /// Closes both connections.
    case cut
    /// Keeps the bytes back, while the connections stay open.
    case swallow
    /// Sends bytes to the client instead of these, and closes both connections.
    case respond([UInt8])
  }

  package typealias Rule = @Sendable (Direction, [UInt8]) -> Action

  /// The folder of the socket that clients connect to.
  package let folder: URL
  private let listener: Int32
  private let server: String
  private let rule: Mutex<Rule>
  private let links = Mutex<[Link]>([])
  private let isStopped = Mutex(false)

  /// A connection to a client and the one to the server, which are closed after both directions have ended.
  private final class Link: Sendable {
    let client: Int32
    let server: Int32

    init(_ client: Int32, _ server: Int32) {
      self.client = client
      self.server = server
    }

    deinit {
      close(client)
      close(server)
    }

    func cut() {
      shutdown(client, UnixSocket.both)
      shutdown(server, UnixSocket.both)
    }
  }

  /// Creates a proxy that passes everything on.
  package init(_ cluster: PrivateCluster) throws {
    folder = URL(filePath: "/tmp").appending(path: "osd-px-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let name = ".s.PGSQL.\(PrivateCluster.port)"
    server = cluster.folder.appending(path: name).path
    rule = Mutex { _, _ in .pass }
    let path = folder.appending(path: name).path
    let listener = try UnixSocket.open()
    self.listener = listener
    guard UnixSocket.use(path, { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0 else {
      throw ClusterError(description: "no socket at \(path)")
    }
    // A pooler has another user.
    chmod(path, 0o777)
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0, let self else { return }
        self.serve(client)
      }
    }
  }

  deinit { stop() }

  /// Sets what happens from now on.
  package func set(_ rule: @escaping Rule) { self.rule.withLock { $0 = rule } }

  /// Closes all connections, as a network does that fails.
  package func cutAll() {
    for link in links.withLock({ $0 }) { link.cut() }
  }

  /// Closes all connections and the socket.
  package func stop() {
    // A descriptor that is closed twice may be that of another connection by then.
    let isFirst = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return !isStopped
    }
    guard isFirst else { return }
    cutAll()
    shutdown(listener, UnixSocket.both)
    close(listener)
    try? FileManager.default.removeItem(at: folder)
  }

  private func serve(_ client: Int32) {
    guard let server = try? UnixSocket.open() else {
      close(client)
      return
    }
    let link = Link(client, server)
    guard UnixSocket.use(self.server, { connect(server, $0, $1) }) == 0 else { return }
    links.withLock { $0.append(link) }
    for direction in [Direction.toServer, .toClient] {
      let (source, target) = direction == .toServer ? (client, server) : (server, client)
      Thread.detachNewThread { [weak self] in
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
          let count = read(source, &buffer, buffer.count)
          guard count > 0, let self else { break }
          guard self.relay(Array(buffer[..<count]), to: target, client, direction) else { break }
        }
        link.cut()
        self?.links.withLock { $0.removeAll { $0 === link } }
      }
    }
  }

  /// Applies the rule; returns whether the connection goes on.
  private func relay(
    _ bytes: [UInt8],
    to target: Int32,
    _ client: Int32,
    _ direction: Direction
  ) -> Bool {
    let action = rule.withLock { $0 }(direction, bytes)
    switch action {
    case .pass: return UnixSocket.send(bytes, to: target)
    case .passAndCut:
      _ = UnixSocket.send(bytes, to: target)
      // The server takes what was sent before it notices the end.
      shutdown(client, UnixSocket.both)
      return false
    case .cut: return false
    case .swallow: return true
    case .respond(let response):
      _ = UnixSocket.send(response, to: client)
      return false
    }
  }

  /// Returns the complete response of a server to statements that failed.
  package static func response(_ sqlState: String) -> [UInt8] {
    // ReadyForQuery, in a failed transaction.
    errorMessage(sqlState) + [UInt8(ascii: "Z"), 0, 0, 0, 5, UInt8(ascii: "E")]
  }

  /// Returns an error message of the server.
  package static func errorMessage(_ sqlState: String) -> [UInt8] {
    var fields: [UInt8] = []
    for (name, text) in [("S", "ERROR"), ("V", "ERROR"), ("C", sqlState), ("M", "by the proxy")] {
      fields += Array(name.utf8) + Array(text.utf8) + [0]
    }
    fields.append(0)
    let length = UInt32(fields.count + 4)
    return [UInt8(ascii: "E")] + Swift.withUnsafeBytes(of: length.bigEndian) { Array($0) } + fields
  }
}

/// The system's Unix sockets.
private enum UnixSocket {
  #if canImport(Glibc)
    static let both = Int32(SHUT_RDWR)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let flags = Int32(MSG_NOSIGNAL)
  #else
    static let both = SHUT_RDWR
    private static let stream = SOCK_STREAM
    private static let flags: Int32 = 0
  #endif

  static func open() throws -> Int32 {
    let descriptor = socket(AF_UNIX, stream, 0)
    guard descriptor >= 0 else { throw ClusterError(description: "no socket is left") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  static func use(
    _ path: String,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  static func send(_ bytes: [UInt8], to target: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { sendto(target, $0.baseAddress, $0.count, flags, nil, 0) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
