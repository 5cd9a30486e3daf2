import OpenSwiftData
import StoreTestSupport
import Testing

@MainActor
@Suite("a walk of changes, undos and redos")
struct UndoWalkTests {
  @Test(arguments: EveryStore.allCases)
  func `comes through the states that it remembers`(kind: EveryStore) throws {
    for seed in UInt64(1)...4 {
      try UndoWalk(kind, seed: seed).run(steps: 60)
    }
  }

  @Test func `comes through them on a long way`() throws {
    for seed in UInt64(100)...115 {
      try UndoWalk(.memory, seed: seed).run(steps: 150)
    }
  }
}
