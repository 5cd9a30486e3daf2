import Foundation
import StoreProtocol

/// A child of this process that has its open files, and of its threads only the calling one.
package enum ForkedProcess {
  struct Refused: Error {}

  /// Runs a function in a child.
  ///
  /// - Returns: The child's exit status, or `nil` if it did not exit.
  package static func status(_ body: () -> Int32) throws -> Int32? {
    // Swift leaves the call out, since the other threads of a program are not there in the child.
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else { throw Refused() }
    let child = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
    if child == 0 {
      // A child that waits for a thread that is not there ends as well.
      alarm(60)
      _exit(body())
    }
    var status: Int32 = 0
    guard child > 0, waitpid(child, &status, 0) == child else { throw Refused() }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
  }

  /// Makes requests to a store that a child inherits, and closes it, none of which may wait.
  ///
  /// - Returns: Zero, or the number of the first request that does not throw `storeClosed`.
  package static func accepted(_ requests: [() throws -> Void], close: () throws -> Void) -> Int32 {
    for (index, request) in requests.enumerated() {
      do {
        try request()
        return Int32(index) + 1
      } catch {
        if (error as? DataStoreError) != .storeClosed { return Int32(index) + 1 }
      }
    }
    try? close()
    return 0
  }
}
