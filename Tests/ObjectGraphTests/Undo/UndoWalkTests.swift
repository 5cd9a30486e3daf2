import OpenSwiftData
import StoreTestSupport
import Testing

@MainActor
@Suite("Random changes, undos and redos")
struct UndoWalkTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `restore each recorded state`(kind: EveryStore) throws {
    for seed in UInt64(1)...4 {
      try UndoWalk(kind, seed: seed).run(steps: 60)
    }
  }

  @Test func `restore each recorded state in long runs`() throws {
    for seed in UInt64(100)...115 {
      try UndoWalk(.memory, seed: seed).run(steps: 150)
    }
  }
}
