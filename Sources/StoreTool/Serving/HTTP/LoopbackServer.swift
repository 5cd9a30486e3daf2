import Foundation
import Synchronization

/// A server for one reader on this machine: a thread for each of few connections, one request each.
final class LoopbackServer: Sendable {
  /// How many connections there are at once; browsers open some that they never use.
  static let mostConnections = 32

  let port: UInt16
  private let listener: Int32
  /// How long a request may take to arrive, and its answer to be taken.
  private let patience: Duration
  private let connections = Mutex(0)

  /// Begins to listen on 127.0.0.1, for port 0 at any port that is free.
  init(port: UInt16, patience: Duration = .seconds(5)) throws {
    self.patience = patience
    (listener, self.port) = try LoopbackSocket.listen(port: port)
  }

  deinit {
    LoopbackSocket.end(listener)
  }

  /// Answers requests for as long as the process lives.
  ///
  /// The closure makes the whole answer for the bytes of a request; nil is one that did not arrive in
  /// time.
  func run(_ answer: @escaping @Sendable ([UInt8]?) -> [UInt8]) throws {
    while true { try serveNext(answer) }
  }

  /// Takes one connection and has a thread answer it.
  func serveNext(_ answer: @escaping @Sendable ([UInt8]?) -> [UInt8]) throws {
    let descriptor = try LoopbackSocket.accept(listener)
    let isTaken = connections.withLock { count in
      guard count < Self.mostConnections else { return false }
      count += 1
      return true
    }
    guard isTaken else { return LoopbackSocket.end(descriptor) }
    Thread.detachNewThread { [self] in
      serve(descriptor, answer)
      connections.withLock { $0 -= 1 }
    }
  }

  private func serve(_ descriptor: Int32, _ answer: ([UInt8]?) -> [UInt8]) {
    defer { LoopbackSocket.end(descriptor) }
    let deadline = ContinuousClock.now + patience
    var bytes: [UInt8] = []
    while !HTTPRequest.isWhole(bytes), bytes.count < HTTPRequest.longestHead {
      let room = HTTPRequest.longestHead - bytes.count
      let received = LoopbackSocket.receive(descriptor, atMost: room, until: deadline)
      if received.isEmpty { break }
      bytes += received
    }
    // A connection that was opened and never used.
    if bytes.isEmpty { return }
    let isLate = !HTTPRequest.isWhole(bytes) && bytes.count < HTTPRequest.longestHead
    let limit = ContinuousClock.now + patience
    LoopbackSocket.send(answer(isLate ? nil : bytes), to: descriptor, until: limit)
    LoopbackSocket.endSending(descriptor)
    // What is left of a request that was refused is taken, so that its sender sees the answer.
    let end = ContinuousClock.now + .milliseconds(500)
    for _ in 0..<16 where LoopbackSocket.receive(descriptor, atMost: 65_536, until: end).isEmpty {
      return
    }
  }
}
