import Foundation
import OpenSwiftData
import Synchronization

/// Traffic of many threads on one open store, whose saves are committed together.
enum TrafficThreads {
  /// Runs to the end.
  ///
  /// - Returns: The highest exit code of a thread.
  static func run(_ options: TrafficOptions) throws -> Int32 {
    let container = try TrafficSession.open(options)
    let code = Mutex<Int32>(0)
    let done = DispatchGroup()
    for number in 0..<options.threads {
      done.enter()
      Thread.detachNewThread {
        var own = options
        own.process = options.process * options.threads + number
        var run = TrafficRun(own, container)
        let result = run()
        code.withLock { $0 = max($0, result) }
        done.leave()
      }
    }
    done.wait()
    return code.withLock { $0 }
  }
}
