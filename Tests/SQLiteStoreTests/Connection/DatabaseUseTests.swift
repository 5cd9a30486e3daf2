import Foundation
import Testing

@testable import SQLiteStore

@Suite("The requests of a database")
struct DatabaseUseTests {
  @Test func `are refused after the end`() {
    let use = DatabaseUse()
    #expect(use.enter())
    use.leave()
    #expect(use.end())
    #expect(!use.enter())
    use.leave()
    #expect(!use.end())
  }

  @Test func `end before the database does`() {
    let use = DatabaseUse()
    let end = DispatchSemaphore(value: 0)
    #expect(use.enter())
    Thread.detachNewThread {
      _ = use.end()
      end.signal()
    }
    while use.enter() {
      use.leave()
      usleep(1_000)
    }
    use.leave()
    let isEarly = end.wait(timeout: .now() + .milliseconds(100)) == .success
    #expect(!isEarly)
    use.leave()
    if !isEarly { end.wait() }
  }
}
