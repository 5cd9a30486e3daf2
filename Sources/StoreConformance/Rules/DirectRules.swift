import Foundation
import StoreProtocol

/// Rules about the optional fast paths of a store.
///
/// These are single rows by key, rows of related objects with their owners, and rows whose values a
/// producer writes.
enum DirectRules {
  static let all: [Rule] = [
    rule(
      "DIRECT-001",
      "A query for one row returns the same row as one for several.",
      singleRows
    ),
    rule("DIRECT-003", "A row can be read while another row is being read.", nestedRows),
    rule(
      "DIRECT-004",
      "`members` reads each related row once, with its owner, and returns the stored orders.",
      memberRows
    ),
    rule(
      "DIRECT-005",
      "A new row whose values a producer writes is stored like a record.",
      insertions
    ),
    rule(
      "DIRECT-006",
      "A change whose values a producer writes is stored like one of a record.",
      updates
    ),
    rule(
      "DIRECT-007",
      "If the row of a change whose values a producer writes does not exist, nothing is stored.",
      failures
    ),
    rule(
      "DIRECT-008",
      "All reads within `readingOneState` see one state, and delay no save of another thread.",
      oneState
    ),
    Rule(
      "DIRECT-009",
      "Rows and history within `readingOneState` agree, despite saves by others.",
      needs: [.history],
      interface: .transactions,
      since: 2,
      oneHistory
    ),
  ]

  private static let rule = Rule.second

  // MARK: Reading

  /// The values that a reader returns for a row.
  private struct ReadRow: Equatable, CustomStringConvertible {
    let identifier: PersistentIdentifier
    let version: Int64
    let values: [StoreValue]

    init(_ reader: RowReader) throws {
      identifier = reader.identifier
      version = reader.version
      values = try reader.entity.properties.indices.map { index in
        reader.entity.properties[index].isToMany || reader.isDeferred(at: index)
          ? .null : try reader.value(at: index)
      }
    }

    var description: String { "\(identifier) at \(version): \(values)" }
  }

  private static func rows(
    _ query: StoreQuery,
    of store: any RecordStore
  ) throws -> [ReadRow] {
    var rows: [ReadRow] = []
    try store.read(query) { rows.append(try ReadRow($0)) }
    return rows
  }

  /// Inserts rows of a hierarchy, some of which refer to others.
  private static func animals(_ bench: StoreBench) throws -> [PersistentIdentifier] {
    let owner = try bench.insert("Person", ["name": .string("Ada"), "age": .integer(36)])
    return try bench.insert(
      [
        Sample.record("Animal", ["name": .string("Io"), "weight": .double(1.5)]),
        Sample.record("Puppy", ["name": .string("Bo"), "owner": .identifier(owner)]),
        Sample.record("Cat", ["name": .string("Tom\u{0}"), "lives": .integer(9)]),
      ]
    )
  }

  private static func singleRows(_ bench: StoreBench) throws {
    let animals = try animals(bench)
    let store = try bench.store
    for entity in ["Animal", "Dog", "Cat", "Person"] {
      for key in [0, .max] + animals.compactMap(\.integerKey) {
        let asked = PersistentIdentifier(.integer(key), of: entity, in: store.identifier)
        let expected = try rows(.rows([asked], of: entity), of: store)
        var found: [ReadRow] = []
        try store.read(.row(asked, of: entity)) { found.append(try ReadRow($0)) }
        try expect("the row \(key) of \(entity)", found, equals: expected)
      }
    }
  }

  private static func nestedRows(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["a", "b", "c"])
    let store = try bench.store
    var names: [StoreValue] = []
    try store.read(.row(people[0], of: "Person")) { first in
      try store.read(.row(people[1], of: "Person")) { second in
        try store.read(.row(people[2], of: "Person")) { names.append(try $0.value(at: 0)) }
        names.append(try second.value(at: 0))
      }
      names.append(try first.value(at: 0))
    }
    try expect("the names", names, equals: [.string("c"), .string("b"), .string("a")])
  }

  private static func memberRows(_ bench: StoreBench) throws {
    let owners = try bench.insert("Person", named: ["none", "natural", "ordered"])
    var pets: [[PersistentIdentifier]] = [[]]
    for owner in owners.dropFirst() {
      pets.append(
        try bench.insert(
          ["x", "y", "z"].map {
            try Sample.record("Puppy", ["name": .string($0), "owner": .identifier(owner)])
          }
        )
      )
    }
    pets[2] = [pets[2][1], pets[2][2], pets[2][0]]
    try bench.update(owners[2], ["pets": .identifiers(pets[2])])
    let missing = PersistentIdentifier(.integer(.max), of: "Person", in: try bench.store.identifier)
    for asked in owners.map({ [$0] }) + [owners, owners + [missing]] {
      var members: [Int64: [ReadRow]] = [:]
      let found = try bench.store.members(
        of: "pets",
        in: "Person",
        owners: asked,
        wantsRows: true
      ) { members[$0, default: []].append(try ReadRow($1)) }
      guard case .read(let orders) = found else { return }
      let keys = asked.compactMap(\.integerKey)
      try expect("the owners", Set(members.keys).isSubset(of: keys), equals: true)
      for (owner, expected) in zip(owners.compactMap(\.integerKey), pets)
      where keys.contains(owner) {
        let found = members[owner] ?? []
        let identifiers = found.map(\.identifier)
        try expect("the related rows of \(owner)", identifiers.sorted(), equals: expected.sorted())
        let list = (orders[owner] ?? []).compactMap { key in
          identifiers.first { $0.integerKey == key }
        }
        let ordered = MemberOrder.ordered(identifiers, by: list)
        try expect("the order of the related rows of \(owner)", ordered, equals: expected)
        let rows = try rows(.rows(identifiers, of: "Animal"), of: bench.store)
        let sorted = found.sorted { $0.identifier < $1.identifier }
        try expect("the related rows of \(owner)", sorted, equals: rows)
      }
    }
  }

  private static func oneState(_ bench: StoreBench) throws {
    let animals = try animals(bench)
    let store = try bench.untraced
    let query = StoreQuery(entity: "Animal")
    let record = try Sample.record("Animal", ["name": .string("meanwhile")])
    try store.readingOneState {
      try expect("the rows", store.identifiers(query), equals: animals)
      try ConcurrencyRules.onThreads(1) { _ in
        _ = try store.apply(StoreChanges(inserted: [record]))
      }
      // A store may read the state before the save or the current one, but all reads agree.
      let rows = try store.identifiers(query)
      try expect("the rows before the save", rows.filter(animals.contains), equals: animals)
      try expect("the fetched rows", store.fetch(query).map(\.persistentIdentifier), equals: rows)
      try expect("the count", store.count(query), equals: rows.count)
      var read: [PersistentIdentifier] = []
      try store.read(query) { read.append($0.identifier) }
      try expect("the rows that are read one by one", read, equals: rows)
    }
    let rows = try store.identifiers(query)
    try expect("the number of rows after that", rows.count, equals: animals.count + 1)
    try bench.delete(animals[0])
    let others = rows.filter { $0 != animals[0] }
    try expect("the rows after a deletion", store.identifiers(query), equals: others)
    struct Planned: Error {}
    do {
      try store.readingOneState { throw Planned() }
      throw RuleViolation("the error of the body", expected: "that error", found: "none")
    } catch is Planned {
      try bench.delete(animals[1])
    }
  }

  private static func oneHistory(_ bench: StoreBench) throws {
    let store = try bench.untraced
    let history = try HistoryRules.store(bench)
    _ = try bench.insert("Person", named: ["before"])
    try store.readingOneState {
      for number in 0..<3 {
        let rows = try store.identifiers(StoreQuery(entity: "Person"))
        let transactions = try history.transactions(StoreHistoryQuery())
        let reported = transactions.flatMap { $0.changes.map(\.identifier) }
        try expect("the reported rows", reported, equals: rows)
        let last = try history.historyBounds().last
        try expect("the last save", last, equals: transactions.last?.number ?? 0)
        let record = try Sample.record("Person", ["name": .string("meanwhile \(number)")])
        try ConcurrencyRules.onThreads(1) { _ in
          _ = try store.apply(StoreChanges(inserted: [record]))
        }
      }
    }
    try expect("the rows after that", bench.names(of: "Person").count, equals: 4)
  }

  // MARK: Writing

  private static let plain = StoreEntity(
    name: "Reading",
    properties: [
      SampleEntities.attribute("station", .string, isOptional: false),
      SampleEntities.attribute("count", .int64), SampleEntities.attribute("degrees", .double),
      SampleEntities.attribute("taken", .date), SampleEntities.attribute("isDry", .bool),
      SampleEntities.attribute("bytes", .data), SampleEntities.attribute("cost", .decimal),
    ]
  )

  private static let samples: [[StoreValue]] = [
    [
      .string("e\u{301}\u{0}"), .integer(.min), .double(0.1),
      .date(Date(timeIntervalSince1970: 1.5)), .bool(true), .data(Data([0, 255])),
      .decimal(Decimal(1) / 4),
    ],
    [.string(""), .null, .null, .null, .null, .null, .null],
    [.string("z"), .integer(7), .double(1e300), .null, .bool(false), .null, .decimal(3)],
  ]

  /// Opens a store of plain values.
  private static func openPlain(_ bench: StoreBench) throws {
    try bench.open(Schema(storeSchema: StoreSchema(entities: [plain])))
  }

  private static func stored(_ bench: StoreBench) throws -> [[StoreValue]] {
    try bench.store.fetch(StoreQuery(entity: plain.name)).map(\.values)
  }

  private static func insertions(_ bench: StoreBench) throws {
    try openPlain(bench)
    let records = samples.map { Sample.record(of: plain, $0) }
    let before = try bench.insert(records)
    let expected = try stored(bench)
    var changes = StoreChanges()
    changes.insertions = try [[samples[0]], Array(samples.dropFirst())].flatMap { values in
      try produced(StoreChanges(inserted: values.map { Sample.record(of: plain, $0) }), bench)
        .insertions
    }
    let result = try bench.store.apply(changes)
    let keys = try result.identifiers(of: changes, in: bench.store).map(\.integerKey)
    let found = try bench.store.fetch(StoreQuery(entity: plain.name)).dropFirst(before.count)
    try expect("the keys", found.map(\.persistentIdentifier.integerKey), equals: keys)
    try expect("the values", found.map(\.values), equals: expected)
    try expectTransaction(of: keys, bench)
  }

  private static func produced(
    _ changes: StoreChanges,
    _ bench: StoreBench
  ) throws -> StoreChanges {
    try changes.produced(bench.schema.storeSchema, in: bench.store.identifier)
  }

  /// Expects that the last transaction of the history, if the store has one, is of some rows.
  private static func expectTransaction(of keys: [Int64?], _ bench: StoreBench) throws {
    guard try bench.store.capabilities.history.isSupported,
      let history = try bench.untraced as? any HistoryKeeping
    else { return }
    let changes = try history.transactions(StoreHistoryQuery()).last?.changes ?? .init()
    let found = changes.map(\.identifier.integerKey)
    try expect("the rows of the save's transaction", found, equals: keys)
  }

  private static func updates(_ bench: StoreBench) throws {
    try openPlain(bench)
    let rows = try bench.insert(samples.map { Sample.record(of: plain, $0) })
    let changed = [0, 2].map { index in
      StoreUpdate(
        identifier: rows[index],
        changes: [.init(1, .integer(Int64(index))), .init(2, .double(0.5))]
      )
    }
    try bench.save(updating: changed)
    let expected = try stored(bench)
    for index in [0, 2] {
      let restored = StoreUpdate(
        identifier: rows[index],
        changes: [.init(1, samples[index][1]), .init(2, samples[index][2])]
      )
      try bench.save(updating: [restored])
    }
    _ = try bench.store.apply(produced(StoreChanges(updated: changed), bench))
    try expect("the values", stored(bench), equals: expected)
    try expectTransaction(of: [rows[0], rows[2]].map(\.integerKey), bench)
  }

  private static func failures(_ bench: StoreBench) throws {
    try openPlain(bench)
    let rows = try bench.insert(samples.map { Sample.record(of: plain, $0) })
    let expected = try stored(bench)
    let missing = PersistentIdentifier(scope: rows[0].scope, key: .integer(.max))
    let changes = try produced(
      StoreChanges(
        inserted: samples.map { Sample.record(of: plain, $0) },
        updated: [rows[0], missing].map {
          StoreUpdate(identifier: $0, changes: [.init(1, .integer(1))])
        }
      ),
      bench
    )
    try expect("a change of a row that is not there", throws: .conflict) {
      _ = try bench.store.apply(changes)
    }
    try expect("the values", stored(bench), equals: expected)
  }
}
