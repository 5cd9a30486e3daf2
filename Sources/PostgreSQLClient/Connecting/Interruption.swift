import Foundation
import Synchronization

/// Interrupts a thread that waits for a server, from any other thread.
///
/// A pipe wakes the thread out of poll(2).
package final class Interruption: Sendable {
  /// The end of the pipe that becomes readable.
  let descriptor: Int32
  private let writer: Int32
  private let isRequestedFlag = Atomic(false)

  init() throws(PostgreSQLError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw PostgreSQLError(.resources, "The process has no free file descriptors.")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (descriptor, writer) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writer)
  }

  /// Ends the current wait of the connection and all later ones with an error.
  package func request() {
    guard !isRequestedFlag.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var byte: UInt8 = 1
    _ = write(writer, &byte, 1)
  }

  var isRequested: Bool { isRequestedFlag.load(ordering: .acquiring) }
}

/// Requests that cancel statements whose connections were closed.
///
/// libpq's function blocks until the server has accepted the request, so it runs on a queue of its
/// own. Requests beyond the limit are dropped. In that case a server is unreachable, and detects
/// closed connections by itself.
enum CancelRequests {
  private static let queue = DispatchQueue(label: "PostgreSQLClient.CancelRequests")
  private static let pending = Atomic(0)
  private static let limit = 16

  static func send(_ connection: OpaquePointer, _ library: LibPQ) {
    guard pending.load(ordering: .relaxed) < limit, let request = library.getCancel(connection)
    else { return }
    pending.add(1, ordering: .relaxed)
    let address = UInt(bitPattern: request)
    queue.async {
      var message = [CChar](repeating: 0, count: 256)
      _ = library.cancel(OpaquePointer(bitPattern: address), &message, Int32(message.count))
      library.freeCancel(OpaquePointer(bitPattern: address))
      pending.subtract(1, ordering: .relaxed)
    }
  }
}
