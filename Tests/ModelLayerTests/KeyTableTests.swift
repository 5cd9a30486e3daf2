import StoreProtocol
import StoreTestSupport
import Testing

@testable import ModelLayer

@Suite("The table of objects by their keys")
struct KeyTableTests {
  final class Object {
    let number: Int64
    init(_ number: Int64) { self.number = number }
  }

  /// Distributions of keys, each of which maps a small number to a key.
  enum Spread: String, CaseIterable {
    case dense, everySecond, everyMillionth, negative, extreme

    func key(_ number: Int64) -> Int64 {
      switch self {
      case .dense: number
      case .everySecond: number * 2 + 1
      case .everyMillionth: number << 20
      case .negative: -number
      case .extreme: number.isMultiple(of: 2) ? .max - number : .min + number
      }
    }
  }

  @Test(arguments: Spread.allCases)
  func `equals a dictionary after any insertions and removals`(_ spread: Spread) {
    var random = SeededGenerator(seed: 7)
    var table = KeyTable()
    var dictionary: [Int64: Object] = [:]
    for _ in 0..<20_000 {
      let key = spread.key(Int64.random(in: 0..<600, using: &random))
      if Int.random(in: 0..<5, using: &random) < 3 {
        let object = Object(key)
        table[.integer(key)] = object
        dictionary[key] = object
      } else {
        table[.integer(key)] = nil
        dictionary[key] = nil
      }
    }
    #expect(table.count == dictionary.count)
    var keys: Set<PersistentIdentifier.Key> = []
    table.forEach { key, _, _ in keys.insert(key) }
    #expect(keys == Set(dictionary.keys.map { .integer($0) }))
    #expect((0..<600).allSatisfy { table.value(of: spread.key($0)) === dictionary[spread.key($0)] })
  }

  @Test(arguments: Spread.allCases)
  func `provides access to the objects of requested keys without retaining them`(_ spread: Spread) {
    var table = KeyTable()
    let objects = (0..<100).map { Object(spread.key($0 * 2)) }
    let requested = (0..<200).map { spread.key($0) }
    table.withObjects(of: requested) { _ in
      Issue.record("an empty table provided access to objects")
    }
    for object in objects { table.put(object, at: object.number) }
    var seen: [UnsafeRawPointer] = []
    var counts: [UInt] = []
    table.withObjects(of: requested) {
      seen = Array($0)
      counts = objects.map { _getRetainCount($0) }
    }
    #expect(counts == objects.map { _getRetainCount($0) })
    #expect(seen == objects.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
    table.withObjects(of: []) { #expect($0.isEmpty) }
  }

  @Test func `distinguishes keys of all kinds`() {
    var table = KeyTable()
    let objects = (0..<3).map { Object($0) }
    table[.integer(1)] = objects[0]
    table[.text("1")] = objects[1]
    table[.temporary(1)] = objects[2]
    #expect(table.count == 3)
    #expect(table[.integer(1)] === objects[0])
    #expect(table[.text("1")] === objects[1])
    #expect(table[.temporary(1)] === objects[2])
    table[.text("1")] = nil
    #expect(table[.text("1")] == nil && table.values.count == 2)
  }

  @Test func `ignores removals when it is empty`() {
    var table = KeyTable()
    table[.integer(0)] = nil
    #expect(table.value(of: 0) == nil && table.count == 0 && table.values.isEmpty)
  }

  @Test func `removes unreferenced objects unless a closure keeps them`() {
    var table = KeyTable()
    for number in 0..<100 { table[.integer(Int64(number))] = Object(Int64(number)) }
    table[.text("a")] = Object(1000)
    let used = table.value(of: 17)
    table.removeUnshared { ($0 as? Object)?.number == 40 }
    #expect(table.values.compactMap { ($0 as? Object)?.number }.sorted() == [17, 40])
    #expect((used as? Object)?.number == 17)
  }
}
