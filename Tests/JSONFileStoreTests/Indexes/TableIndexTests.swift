import StoreProtocol
import StoreTestSupport
import Testing

@testable import JSONFileStore

@Suite struct `Indexes of a table` {
  private static let entity = StoreEntity(
    name: "Row",
    properties: [("text", .string), ("whole", .int64), ("real", .double), ("price", .decimal)]
      .map { StoreProperty(name: $0, kind: .attribute($1), isOptional: true) }
  )
  private static let lists = [[0], [1], [2], [3], [1, 0], [2, 1, 0]]

  private func makeTable() -> Table {
    let scope = PersistentIdentifier.Scope(storeIdentifier: "s", entityName: "Row")
    return Table(entity: Self.entity, scope: scope)
  }

  private func cell(_ property: Int, _ random: inout SeededGenerator) -> Cell {
    if Int.random(in: 0..<6, using: &random) == 0 { return .null }
    switch property {
    case 0: return .string(HardValues.strings.randomElement(using: &random) ?? "")
    case 1: return .integer(.random(in: -9...9, using: &random))
    case 2: return .double(HardValues.doubles.randomElement(using: &random) ?? 0)
    default: return .value(.decimal(HardValues.decimals.randomElement(using: &random) ?? 0))
    }
  }

  private func slots(_ index: TableIndex) -> [Int32] {
    var list: [Int32] = []
    index.slots.append(index.slots.start..<index.slots.end, to: &list)
    return list
  }

  @Test(arguments: [1, 2, 3])
  func `list the rows that refer to a key, in the order in which they were added`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var index = ReferenceIndex()
    var expected: [Int64: [Int32]] = [:]
    var keys: [Int: Int64] = [:]
    for _ in 0..<3_000 {
      let slot = Int.random(in: 0..<60, using: &random)
      if let key = keys.removeValue(forKey: slot) {
        index.remove(slot, referringTo: key)
        expected[key]?.removeAll { $0 == Int32(slot) }
      } else {
        let key = Int64.random(in: 0..<4, using: &random)
        index.add(slot, referringTo: key)
        expected[key, default: []].append(Int32(slot))
        keys[slot] = key
      }
      for key in 0..<Int64(5) {
        #expect(index.slots(referringTo: key) == expected[key] ?? [])
      }
    }
  }

  @Test func `have a table version that each change increments`() {
    var table = makeTable()
    var seen: Set<Table.Version> = [table.version]
    table.append(key: 1, cells: [.null, .integer(1), .null, .null])
    #expect(seen.insert(table.version).inserted)
    table.set(.integer(2), at: 1, slot: 0)
    #expect(seen.insert(table.version).inserted)
    table.remove(slot: 0)
    #expect(seen.insert(table.version).inserted)
  }

  @Test(arguments: [11, 12])
  func `equal new indexes after random changes`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var table = makeTable()
    var key: Int64 = 0
    for step in 0..<1_600 {
      let slot = Int.random(in: 0..<max(1, table.slotCount), using: &random)
      let exists = slot < table.slotCount && table.isAlive(slot)
      switch Int.random(in: 0..<4, using: &random) {
      case 0...(step < 800 ? 1 : 0):
        key += .random(in: 1...3, using: &random)
        table.append(key: key, cells: (0..<4).map { cell($0, &random) })
        if step % 40 == 0 {
          var many = makeTable()
          for _ in 1...30 {
            key += 1
            many.append(key: key, cells: (0..<4).map { cell($0, &random) })
          }
          table.append(many, save: 2)
          #expect(table.rowVersion(table.slotCount - 1) == 2)
        }
      case 2 where exists:
        let property = Int.random(in: 0..<4, using: &random)
        table.set(cell(property, &random), at: property, slot: slot)
      case 3 where exists: table.remove(slot: slot)
      default: break
      }
      guard step % 200 == 0 else { continue }
      for list in Self.lists {
        let fresh = TableIndex(table, by: list)
        if let kept = table.index(by: list) {
          #expect(slots(kept) == slots(fresh), "after \(step) steps, by \(list)")
          kept.use.note()
        } else {
          table.keep(fresh)
        }
      }
    }
    #expect(table.index(by: [0]) != nil)
  }

  @Test func `are dropped when a table closes gaps of deleted rows`() {
    var table = makeTable()
    for key in 1...2_200 {
      table.append(key: Int64(key), cells: [.null, .integer(Int64(key % 7))])
    }
    table.keep(TableIndex(table, by: [1]))
    for slot in stride(from: 0, to: 2_200, by: 2) {
      table.remove(slot: slot)
      table.index(by: [1])?.use.note()
    }
    #expect(table.index(by: [1])?.slots.count == 1_100 && table.slotCount == 2_200)
    table.remove(slot: 1)
    #expect(table.slotCount == 1_099 && table.index(by: [1]) == nil)
    #expect(TableIndex(table, by: [1]).slots.count == 1_099)
  }

  @Test func `are dropped after many changes without use`() {
    var table = makeTable()
    table.append(key: 1, cells: [])
    table.keep(TableIndex(table, by: [1]))
    for key in 2...900 { table.append(key: Int64(key), cells: []) }
    #expect(table.index(by: [1]) != nil)
    table.index(by: [1])?.use.note()
    for key in 901...1_800 { table.append(key: Int64(key), cells: []) }
    #expect(table.index(by: [1]) != nil)
    for key in 1_801...4_000 { table.append(key: Int64(key), cells: []) }
    #expect(table.index(by: [1]) == nil)
  }

  @Test func `sort null first and NaN last, and equate both zeros`() {
    var table = makeTable()
    let values: [Double?] = [.nan, 0, nil, .infinity, -0.0, -1, nil, .nan]
    for (number, value) in values.enumerated() {
      let cells: [Cell] = [.null, .null, value.map(Cell.double) ?? .null, .null]
      table.append(key: Int64(number + 1), cells: cells)
    }
    #expect(slots(TableIndex(table, by: [2])) == [2, 6, 5, 1, 4, 3, 0, 7])
  }
}
