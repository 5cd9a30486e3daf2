import Dispatch
import Foundation
import StoreProtocol
import Synchronization
import Testing

@testable import ModelLayer

@Suite("Queue of background tasks", .timeLimit(.minutes(30)))
struct BackgroundTaskQueueTests {
  @Test func `runs each body once, on at most two threads while they are short`() {
    // No other thread joins within an hour.
    let queue = BackgroundTaskQueue(patience: .seconds(3_600))
    let runs = RunningBodies()
    let numbers = Mutex<[Int]>([])
    let done = DispatchGroup()
    for number in 0..<200 {
      done.enter()
      queue.add {
        runs.count { numbers.withLock { $0.append(number) } }
        done.leave()
      }
    }
    done.wait()
    #expect(numbers.withLock { $0.sorted() } == Array(0..<200))
    #expect(runs.most <= 2)
  }

  @Test(arguments: [DispatchTimeInterval.milliseconds(1), nil])
  func `lets other threads join if a body is slow`(patience: DispatchTimeInterval?) {
    let queue = BackgroundTaskQueue(patience: patience)
    let gate = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    // Each of these waits for the one that is added last.
    for _ in 0..<5 {
      done.enter()
      queue.add {
        gate.wait()
        done.leave()
      }
    }
    queue.add { for _ in 0..<5 { gate.signal() } }
    done.wait()
  }

  @Test func `runs other bodies while threads wait for saves`() {
    let queue = BackgroundTaskQueue(patience: .seconds(3_600))
    let gate = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    let waiting = Mutex(0)
    for _ in 0..<40 {
      done.enter()
      queue.add {
        SaveWaiting.current? {
          // The last one opens the gate for all.
          let isLast = waiting.withLock { waiting in
            waiting += 1
            return waiting == 40
          }
          if isLast { for _ in 0..<40 { gate.signal() } }
          gate.wait()
        }
        done.leave()
      }
    }
    done.wait()
    #expect(waiting.withLock { $0 } == 40)
  }

  @Test func `runs bodies on at most two threads after many waited for saves`() {
    let queue = BackgroundTaskQueue(patience: .seconds(3_600))
    let (saved, slow) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (waiting, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (savers, others) = (DispatchGroup(), DispatchGroup())
    for _ in 0..<40 {
      savers.enter()
      queue.add {
        SaveWaiting.current? {
          waiting.signal()
          saved.wait()
        }
        savers.leave()
      }
    }
    for _ in 0..<40 { waiting.wait() }
    // Two threads are in use when the others continue.
    for _ in 0..<2 {
      queue.add {
        begun.signal()
        slow.wait()
      }
    }
    for _ in 0..<2 { begun.wait() }
    let runs = RunningBodies()
    for _ in 0..<40 {
      others.enter()
      queue.add {
        runs.count { usleep(500) }
        others.leave()
      }
    }
    for _ in 0..<40 { saved.signal() }
    savers.wait()
    for _ in 0..<2 { slow.signal() }
    others.wait()
    #expect(runs.most <= 2)
  }

  @Test func `lets a save wait for bodies that need nothing but a thread`() {
    // Neither a thread that joins nor the end of the courtesy lets the save continue within an hour.
    let queue = BackgroundTaskQueue(patience: .seconds(3_600), courtesy: .seconds(3_600))
    let (added, saved) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let done = DispatchGroup()
    let begun = Mutex(0)
    let found = Mutex<Int?>(nil)
    done.enter()
    queue.add {
      added.wait()
      SaveWaiting.current?.letOthersRun()
      found.withLock { $0 = begun.withLock { $0 } }
      for _ in 0..<20 { saved.signal() }
      done.leave()
    }
    for _ in 0..<20 {
      done.enter()
      queue.add {
        // These wait in the group that the first one leads.
        added.wait()
        begun.withLock { $0 += 1 }
        SaveWaiting.current? { saved.wait() }
        done.leave()
      }
    }
    for _ in 0..<21 { added.signal() }
    done.wait()
    // The last one of each thread counts after it has begun.
    #expect(found.withLock { $0 ?? 0 } >= 18)
  }

  @Test func `lets a save wait no longer for bodies that are slow`() {
    let queue = BackgroundTaskQueue(patience: .seconds(3_600), courtesy: .milliseconds(1))
    let (added, slow) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let done = DispatchGroup()
    for _ in 0..<2 {
      done.enter()
      queue.add {
        added.wait()
        SaveWaiting.current?.letOthersRun()
        for _ in 0..<2 { slow.signal() }
        done.leave()
      }
    }
    // Two of these begin in place of the saves; the others need one of their threads.
    for _ in 0..<4 {
      done.enter()
      queue.add {
        slow.wait()
        done.leave()
      }
    }
    for _ in 0..<2 { added.signal() }
    done.wait()
  }

  @Test func `lets a save continue at once that has no others to wait for`() {
    let queue = BackgroundTaskQueue(patience: .seconds(3_600), courtesy: .seconds(3_600))
    for _ in 0..<100 {
      let done = DispatchSemaphore(value: 0)
      queue.add {
        SaveWaiting.current?.letOthersRun()
        done.signal()
      }
      done.wait()
    }
  }

  @Test func `lets no thread run in place of one that inherits the way to wait`() {
    let waits = Mutex(0)
    let replaced = Mutex(0)
    let way = SaveWaiting { wait in
      replaced.withLock { $0 += 1 }
      wait()
    }
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      way { waits.withLock { $0 += 1 } }
      done.signal()
    }
    done.wait()
    #expect(waits.withLock { $0 } == 1)
    #expect(replaced.withLock { $0 } == 0)
    way { waits.withLock { $0 += 1 } }
    #expect(waits.withLock { $0 } == 2)
    #expect(replaced.withLock { $0 } == 1)
  }

  @Test func `runs a body that is added after all others ended`() {
    let queue = BackgroundTaskQueue(patience: .milliseconds(5))
    for _ in 0..<100 {
      let done = DispatchSemaphore(value: 0)
      queue.add { done.signal() }
      done.wait()
    }
  }
}

extension BackgroundTaskQueue {
  /// Adds a body of a task of its own, which no other thread has to begin.
  fileprivate func add(_ body: @escaping @Sendable () -> Void) {
    Task(executorPreference: self) { await self.run(body) }
  }
}

/// The number of bodies that run at once.
private final class RunningBodies: Sendable {
  private let counts = Mutex<(running: Int, most: Int)>((0, 0))

  /// The highest number until now.
  var most: Int { counts.withLock { $0.most } }

  /// Runs a body, which counts meanwhile.
  func count(_ body: () -> Void) {
    counts.withLock {
      $0.running += 1
      $0.most = max($0.most, $0.running)
    }
    body()
    counts.withLock { $0.running -= 1 }
  }
}
