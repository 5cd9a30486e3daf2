import Foundation

/// The system's sockets on the loopback address, as far as the server needs them.
///
/// Only this file of the program differs between systems.
enum LoopbackSocket {
  /// A call that the system refused.
  struct Failure: Error, LocalizedError {
    let call: String
    let code: Int32

    var errorDescription: String? { "\(call): \(String(cString: strerror(code)))" }
  }

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif

  #if canImport(Darwin)
    private static let sendFlags: Int32 = 0
  #else
    // A closed connection is an error of the call, not a signal that ends the program.
    private static let sendFlags = Int32(MSG_NOSIGNAL)
  #endif

  /// Opens a socket that listens only on 127.0.0.1; port 0 selects a free port.
  static func listen(port: UInt16) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
    do {
      try prepare(descriptor, option: SO_REUSEADDR)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      try withUnsafeMutablePointer(to: &address) { pointer in
        try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          guard bind(descriptor, address, size) == 0 else {
            throw Failure(call: "127.0.0.1:\(port)", code: errno)
          }
          guard Foundation.listen(descriptor, 16) == 0,
            getsockname(descriptor, address, &size) == 0
          else { throw Failure(call: "listen", code: errno) }
        }
      }
      return (descriptor, UInt16(bigEndian: address.sin_port))
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Waits for the next connection.
  static func accept(_ listener: Int32) throws -> Int32 {
    while true {
      let descriptor = Foundation.accept(listener, nil, nil)
      if descriptor >= 0 {
        #if canImport(Darwin)
          try? prepare(descriptor, option: SO_NOSIGPIPE)
        #endif
        return descriptor
      }
      // A connection that was closed before it was accepted does not end the server.
      guard errno == EINTR || errno == ECONNABORTED else {
        throw Failure(call: "accept", code: errno)
      }
    }
  }

  /// Waits for bytes and reads them.
  ///
  /// - Returns: The bytes; none at the end of the connection, at the deadline, and on an error.
  static func receive(
    _ descriptor: Int32,
    atMost count: Int,
    until deadline: ContinuousClock.Instant
  ) -> [UInt8] {
    guard wait(descriptor, for: Int16(POLLIN), until: deadline) else { return [] }
    var buffer = [UInt8](repeating: 0, count: count)
    let received = recv(descriptor, &buffer, count, 0)
    return received > 0 ? Array(buffer.prefix(received)) : []
  }

  /// Sends all bytes, as far as the other side receives them before a deadline.
  static func send(
    _ bytes: [UInt8],
    to descriptor: Int32,
    until deadline: ContinuousClock.Instant
  ) {
    var rest = bytes[...]
    while !rest.isEmpty, wait(descriptor, for: Int16(POLLOUT), until: deadline) {
      let sent = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, min($0.count, 65_536), sendFlags)
      }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  static func endSending(_ descriptor: Int32) {
    shutdown(descriptor, Int32(1))
  }

  /// Closes a socket.
  static func end(_ descriptor: Int32) {
    close(descriptor)
  }

  private static func prepare(_ descriptor: Int32, option: Int32) throws {
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    guard setsockopt(descriptor, SOL_SOCKET, option, &on, size) == 0 else {
      throw Failure(call: "setsockopt", code: errno)
    }
  }

  private static func wait(
    _ descriptor: Int32,
    for events: Int16,
    until deadline: ContinuousClock.Instant
  ) -> Bool {
    while true {
      let left = deadline - ContinuousClock.now
      guard left > .zero else { return false }
      let (seconds, attoseconds) = left.components
      let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
      var state = pollfd(fd: descriptor, events: events, revents: 0)
      let ready = poll(&state, 1, Int32(clamping: milliseconds + 1))
      if ready > 0 { return true }
      if ready < 0, errno != EINTR { return false }
    }
  }
}
