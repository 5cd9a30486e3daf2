import Foundation
import Synchronization

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
