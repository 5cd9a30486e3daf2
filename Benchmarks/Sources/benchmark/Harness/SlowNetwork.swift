import Foundation

/// A network between clients and a server on a Unix socket: a relay that passes each piece of bytes on
/// after a delay.
final class SlowNetwork: Sendable {
  /// The folder of the socket for clients.
  let folder: String
  private let listener: Int32

  /// Starts the relay.
  ///
  /// - Parameters:
  ///   - socket: The path of the server's socket.
  ///   - delay: The delay in each direction. The system adds some 50 µs to it.
  /// - Throws: ``BenchmarkError`` if no socket can be created.
  init(to socket: String, delay: Duration) throws {
    // A path of a socket has at most 107 bytes.
    folder = "/tmp/osd-net-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let listener = try UnixSocket.open()
    self.listener = listener
    let path = folder + "/" + (socket as NSString).lastPathComponent
    guard UnixSocket.use(path, { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0 else {
      throw BenchmarkError("no socket at \(path)")
    }
    let pause = UInt32(delay / .microseconds(1))
    Thread.detachNewThread {
      while case let client = accept(listener, nil, nil), client >= 0 {
        guard let server = try? UnixSocket.open() else { return }
        guard UnixSocket.use(socket, { connect(server, $0, $1) }) == 0 else { return }
        Self.pass(from: client, to: server, after: pause)
        Self.pass(from: server, to: client, after: pause)
      }
    }
  }

  deinit {
    close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Passes bytes on until a connection ends.
  ///
  /// A request, or its result, is one piece.
  private static func pass(from source: Int32, to target: Int32, after microseconds: UInt32) {
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while case let count = read(source, &buffer, buffer.count), count > 0 {
        usleep(microseconds)
        guard UnixSocket.send(buffer[..<count], to: target) else { break }
      }
      // The other direction ends too, and closes its source.
      shutdown(target, UnixSocket.both)
      close(source)
    }
  }
}

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
    guard descriptor >= 0 else { throw BenchmarkError("no socket is left") }
    return descriptor
  }

  /// Calls a function with the address of a path.
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

  static func send(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.send(target, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
