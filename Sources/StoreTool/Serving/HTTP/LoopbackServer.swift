import Foundation
import Synchronization

/// A server for one user on this machine: one thread for each of a few connections, one request
/// each.
final class LoopbackServer: Sendable {
  /// The largest number of concurrent connections; browsers open some that they never use.
  static let mostConnections = 32

  let port: UInt16
  private let listener: Int32
  /// The time limit for a request to arrive, and for its response to be received.
  private let patience: Duration
  private let connections = Mutex(0)

  /// Listens on 127.0.0.1; port 0 selects a free port.
  init(port: UInt16, patience: Duration = .seconds(5)) throws {
    self.patience = patience
    (listener, self.port) = try LoopbackSocket.listen(port: port)
  }

  deinit {
    LoopbackSocket.end(listener)
  }

  /// Handles requests until the process ends.
  ///
  /// The closure returns the whole response for the bytes of a request; `nil` is a request that did
  /// not arrive in time.
  func run(_ respond: @escaping @Sendable ([UInt8]?) -> [UInt8]) throws {
    while true { try serveNext(respond) }
  }

  /// Accepts one connection and handles it on a thread.
  func serveNext(_ respond: @escaping @Sendable ([UInt8]?) -> [UInt8]) throws {
    let descriptor = try LoopbackSocket.accept(listener)
    let isTaken = connections.withLock { count in
      guard count < Self.mostConnections else { return false }
      count += 1
      return true
    }
    guard isTaken else { return LoopbackSocket.end(descriptor) }
    Thread.detachNewThread { [self] in
      serve(descriptor, respond)
      connections.withLock { $0 -= 1 }
    }
  }

  private func serve(_ descriptor: Int32, _ respond: ([UInt8]?) -> [UInt8]) {
    defer { LoopbackSocket.end(descriptor) }
    let deadline = ContinuousClock.now + patience
    var bytes: [UInt8] = []
    while !HTTPRequest.isWhole(bytes), bytes.count < HTTPRequest.longestHead {
      let room = HTTPRequest.longestHead - bytes.count
      let received = LoopbackSocket.receive(descriptor, atMost: room, until: deadline)
      if received.isEmpty { break }
      bytes += received
    }
    // The connection was opened and never used.
    if bytes.isEmpty { return }
    let isLate = !HTTPRequest.isWhole(bytes) && bytes.count < HTTPRequest.longestHead
    let limit = ContinuousClock.now + patience
    LoopbackSocket.send(respond(isLate ? nil : bytes), to: descriptor, until: limit)
    LoopbackSocket.endSending(descriptor)
    // The rest of a refused request is read, so that its sender receives the response.
    let end = ContinuousClock.now + .milliseconds(500)
    for _ in 0..<16 where LoopbackSocket.receive(descriptor, atMost: 65_536, until: end).isEmpty {
      return
    }
  }
}
