import StoreProtocol
import StoreTestSupport
import Testing

@testable import ModelLayer

@Suite("The table of objects that outlive their context")
struct FollowerTableTests {
  typealias Object = KeyTableTests.Object
  typealias Spread = KeyTableTests.Spread

  @Test(arguments: Spread.allCases)
  func `equals a dictionary after any insertions, removals and releases`(_ spread: Spread) {
    var random = SeededGenerator(seed: 11)
    var table = FollowerTable()
    var dictionary: [Int64: Object] = [:]
    for round in 0..<20_000 {
      let key = spread.key(Int64.random(in: 0..<600, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0...2:
        let object = Object(key)
        table[.integer(key)] = object
        dictionary[key] = object
      case 3:
        table[.integer(key)] = nil
        dictionary[key] = nil
      default:
        // The table is not notified when an object is released.
        dictionary[key] = nil
      }
      if round.isMultiple(of: 5_000) {
        table.removeEnded()
        #expect(table.count == dictionary.count)
      }
    }
    #expect((0..<600).allSatisfy { table.value(of: spread.key($0)) === dictionary[spread.key($0)] })
    #expect(Set(table.entries.map(\.key)) == Set(dictionary.keys.map { .integer($0) }))
    #expect(table.values.count == dictionary.count)
  }

  @Test func `retains no object, whatever its key`() {
    var table = FollowerTable()
    let kept = Object(1)
    do {
      let others = (2..<5).map { Object($0) }
      table[.integer(1)] = kept
      table[.integer(2)] = others[0]
      table[.text("2")] = others[1]
      table[.temporary(2)] = others[2]
      #expect(table[.text("2")] === others[1] && table[.temporary(2)] === others[2])
      #expect(table.values.count == 4)
    }
    #expect(table.values.count == 1 && table.count == 4)
    #expect(table[.text("2")] == nil && table.value(of: 2) == nil)
    table.removeEnded()
    #expect(table.count == 1 && table[.integer(1)] === kept)
  }

  @Test func `ignores removals when it is empty`() {
    var table = FollowerTable()
    table[.integer(0)] = nil
    table[.text("")] = nil
    table.removeEnded()
    #expect(table.value(of: 0) == nil && table[.text("")] == nil && table.count == 0)
  }

  @Test func `grows beyond its reserved capacity`() {
    var table = FollowerTable()
    table.reserveCapacity(100)
    let objects = (Int64(0)..<1_000).map { Object($0) }
    for object in objects { table.put(object, at: object.number) }
    #expect(objects.allSatisfy { table.value(of: $0.number) === $0 })
  }
}
