import Foundation
import PostgreSQLClient

/// A child process that this one forks, for a function.
package enum ForkedChild {
  /// Runs a function in children, and returns the numbers that it returned.
  ///
  /// Another thread may hold a lock of the system when the process forks. The child then waits
  /// forever: it is ended, and another one is forked.
  ///
  /// - Parameters:
  ///   - count: The number of children that end by themselves.
  ///   - body: The function, which returns a number below 100.
  /// - Returns: The numbers.
  /// - Throws: ``ClusterError`` if nearly no child ends by itself.
  package static func numbers(_ count: Int, _ body: () -> Int32) throws -> [Int32] {
    // Swift does not offer fork, because a child of a multithreaded program can do little.
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else {
      throw ClusterError(description: "there is no fork")
    }
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
    var numbers: [Int32] = []
    for _ in 0..<4 * count where numbers.count < count {
      let child = fork()
      if child == 0 {
        alarm(10)
        _exit(body())
      }
      var status: Int32 = -1
      guard child > 0, waitpid(child, &status, 0) == child else {
        throw ClusterError(description: "the process cannot fork")
      }
      if status & 0x7F == 0 { numbers.append(status >> 8 & 0xFF) }
    }
    guard numbers.count == count else {
      throw ClusterError(description: "children do not end by themselves")
    }
    return numbers
  }
}
