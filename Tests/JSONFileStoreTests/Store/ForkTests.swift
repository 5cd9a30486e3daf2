import Foundation
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A process forked while a JSON store is open")
struct ForkTests {
  // In a separate process, because a child copies the state of all other threads.
  @Test func `while saves wait for each other refuses them in the child, which ends`() async throws
  {
    await #expect(processExitsWith: .success) {
      let sample = try GroupSample(waiting: 3)
      let saves = (1...4).map { sample.newItem($0) }
      let results = sample.run(4) { index in
        if index == 3 {
          // The child has neither the thread that makes the saves nor those that wait.
          let status = try ForkedProcess.status {
            ForkedProcess.accepted([
              { _ = try sample.store.apply(saves[3]) },
              { _ = try sample.store.all() },
              { _ = try sample.store.outcome(ofSave: saves[1].saveIdentifier) },
            ]) {
              _ = sample.store.latestSave
              try sample.store.close()
            }
          }
          #expect(status == 0)
        }
        return try sample.store.apply(saves[index]).version
      }
      #expect(try results.map { try $0.get() } == [3, 4, 5, 6])
      #expect(try sample.numbersAfterKill() == [0, 1, 2, 3, 4])
    }
  }
}
