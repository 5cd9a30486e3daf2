import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("The difference of two results")
struct ResultsDifferenceTests {
  private typealias Difference = ResultsDifference<Int>

  private func difference(_ old: [Int], _ new: [Int]) -> Difference {
    // The last digit is a value, the others are the identity.
    Difference(from: old, to: new, identifiedBy: { $0 / 10 }, isUnchanged: ==)
  }

  @Test func `is empty for equal lists`() {
    #expect(difference([10, 20], [10, 20]).isEmpty)
    #expect(difference([], []).isEmpty)
  }

  @Test func `lists removals from the end, moves, insertions from the beginning, and updates`() {
    let changes = difference([10, 20, 30, 40, 50], [60, 50, 21, 40, 70]).changes
    #expect(
      changes == [
        .remove(at: 2), .remove(at: 0), .move(from: 2, to: 0), .insert(60, at: 0),
        .insert(70, at: 4), .update(21, at: 2),
      ]
    )
  }

  @Test func `moves as few elements as possible`() {
    let moved = difference([10, 20, 30, 40, 50], [20, 30, 40, 50, 10])
    #expect(moved.changes == [.move(from: 0, to: 4)])
    let forward = difference([10, 20, 30, 40, 50], [50, 10, 20, 30, 40])
    #expect(forward.changes == [.move(from: 4, to: 0)])
  }

  @Test(arguments: 0..<50)
  func `changes the old list to the new list`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let old = list(&random)
      let new = list(&random)
      var made = old
      made.apply(difference(old, new))
      #expect(made == new)
    }
  }

  private func list(_ random: inout SeededGenerator) -> [Int] {
    let identities = Array(1...12).shuffled(using: &random).prefix(
      Int.random(in: 0...12, using: &random)
    )
    return identities.map { $0 * 10 + Int.random(in: 0...1, using: &random) }
  }
}
