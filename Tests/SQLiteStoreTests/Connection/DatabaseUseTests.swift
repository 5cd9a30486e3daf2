import Foundation
import Testing

@testable import SQLiteStore

@Suite("The requests of a database")
struct DatabaseUseTests {
  @Test func `are refused after the end`() {
    let use = DatabaseUse()
    #expect(use.during { 1 } == 1)
    #expect(use.end())
    #expect(use.during { 1 } == nil)
    #expect(!use.end())
  }

  @Test func `end before the database does`() {
    let use = DatabaseUse()
    let end = DispatchSemaphore(value: 0)
    let isEarly = use.during {
      Thread.detachNewThread {
        _ = use.end()
        end.signal()
      }
      while use.during({}) != nil { usleep(1_000) }
      return end.wait(timeout: .now() + .milliseconds(100)) == .success
    }
    #expect(isEarly == false)
    if isEarly == false { end.wait() }
  }
}
