import Foundation
import OpenSwiftData
import StoreTestSupport

/// The same random objects in every store, as objects and as rows.
final class DifferentialWorld {
  let relics: [Relic]
  private let folder: TemporaryFolder
  private let containers: [(store: EveryStore, context: ModelContext)]
  private let rows: [SnapshotRow]
  private let evaluator: QueryEvaluator<SnapshotRow>
  private let schema: Schema

  init(seed: UInt64, count: Int = 40) throws {
    folder = try TemporaryFolder()
    var containers: [(EveryStore, ModelContext)] = []
    for store in EveryStore.allCases {
      let container = try ModelContainer(
        for: Relic.self,
        Vase.self,
        RelicKeeper.self,
        store: store.url(in: folder)
      )
      try Self.fill(ModelContext(container), seed: seed, count: count)
      containers.append((store, ModelContext(container)))
    }
    self.containers = containers
    relics = try containers[0].1.fetch(FetchDescriptor<Relic>(sortBy: [SortDescriptor(\.number)]))
    schema = Schema([Relic.self, Vase.self, RelicKeeper.self])
    (rows, evaluator) = try Self.rows(of: EveryStore.json, in: folder, schema)
  }

  /// The numbers of the relics that each store returns.
  func results(
    _ descriptor: FetchDescriptor<Relic>
  ) throws -> [(store: EveryStore, numbers: [Int])] {
    try containers.map { store, context in
      let numbers = try context.fetch(descriptor).map(\.number)
      guard try context.fetchCount(descriptor) == numbers.count,
        try context.fetchIdentifiers(descriptor).count == numbers.count
      else { return (store, [-1]) }
      return (store, numbers)
    }
  }

  /// The numbers of the relics that the evaluator gives.
  func evaluated(_ descriptor: FetchDescriptor<Relic>) throws -> [Int] {
    let query = try StoreQuery(descriptor, schema: schema)
    return try evaluator.evaluate(query, over: rows).map(Self.number)
  }

  /// The numbers of the relics for which Foundation says that a predicate holds; it is not asked
  /// where Swift would trap.
  func found(_ predicate: Predicate<Relic>) throws -> [Int] {
    let descriptor = FetchDescriptor(predicate: predicate)
    let filter = try StoreQuery(descriptor, schema: schema).filter ?? .constant(.bool(true))
    let holds = try evaluator.test(filter)
    let fails = try evaluator.test(.not(filter))
    let decided = Set(
      try rows.filter { $0.entity.name != "RelicKeeper" }.filter { row in
        try holds(row) || fails(row)
      }.map(Self.number)
    )
    return try relics.filter { try decided.contains($0.number) && predicate.evaluate($0) }
      .map(\.number)
  }

  private static func number(_ row: SnapshotRow) -> Int {
    guard case .integer(let number) = row.record["number"] else { return -1 }
    return Int(number)
  }

  private static func rows(
    of store: EveryStore,
    in folder: TemporaryFolder,
    _ schema: Schema
  ) throws -> ([SnapshotRow], QueryEvaluator<SnapshotRow>) {
    let configuration = JSONFileStoreConfiguration(schema: schema, url: folder.file("store.json"))
    let store = try JSONFileStore(configuration, migrationPlan: nil)
    var rows: [SnapshotRow] = []
    for name in ["Relic", "RelicKeeper"] {
      for record in try store.fetch(StoreQuery(entity: name)) {
        let own = record.persistentIdentifier.entityName
        guard let entity = schema.storeSchema.entity(named: own) else { continue }
        rows.append(SnapshotRow(record, entity))
      }
    }
    let byKey = Dictionary(rows.map { ($0.identifier.key, $0) }, uniquingKeysWith: { $1 })
    let evaluator = QueryEvaluator<SnapshotRow>(
      schema: schema.storeSchema,
      row: { byKey[$0.key] },
      members: { row, index in
        let property = row.entity.properties[index].name
        let owner = row.identifier
        return try store.members(of: property, in: row.entity.name, owners: [owner])[owner] ?? []
      }
    )
    return (rows, evaluator)
  }
}

extension DifferentialWorld {
  private static func fill(_ context: ModelContext, seed: UInt64, count: Int) throws {
    var random = SeededGenerator(seed: seed)
    let names = DifferentialPredicate.composed.shuffled(using: &random)
    let keepers = names.prefix(8).map { RelicKeeper($0) }
    for keeper in keepers {
      context.insert(keeper)
      keeper.age = random.pick([nil, 0, 1, 40, .max])
      keeper.mentor = random.pick([nil] + keepers)
    }
    var relics: [Relic] = []
    for number in 0..<count {
      let relic = number.isMultiple(of: 5) ? Vase(number) : Relic(number)
      context.insert(relic)
      fillNumbers(relic, &random)
      fillTexts(relic, &random)
      relic.keeper = random.pick([nil] + keepers)
      relic.whole = random.pick([nil, nil] + relics)
      relic.makers = Array(keepers.shuffled(using: &random).prefix(number % 4))
      relics.append(relic)
    }
    try context.save()
  }

  private static func fillNumbers(_ relic: Relic, _ random: inout SeededGenerator) {
    relic.count = random.pick(DifferentialPredicate.integers)
    relic.rank = random.pick([nil] + DifferentialPredicate.integers)
    relic.small = random.pick([.min, -1, 0, 1, .max])
    relic.big = random.pick(HardValues.unsignedIntegers)
    relic.price = random.pick(HardValues.doubles)
    relic.ratio = random.pick(DifferentialPredicate.floats)
    relic.cost = random.pick(HardValues.decimals)
    relic.isShown = random.pick([true, false])
    relic.made = random.pick(HardValues.dates)
    relic.seen = random.pick([nil] + HardValues.dates)
    relic.key = random.pick(DifferentialPredicate.keys)
    relic.numbers = (0..<random.pick([0, 1, 3])).map { _ in random.pick([1, 2, 3, .max]) }
  }

  private static func fillTexts(_ relic: Relic, _ random: inout SeededGenerator) {
    relic.name = random.pick(DifferentialPredicate.composed)
    relic.title = random.pick([nil] + DifferentialPredicate.texts)
    relic.bytes = random.pick(DifferentialPredicate.bytes)
    relic.kind = random.pick(RelicKind.allCases)
    relic.other = random.pick([nil] + RelicKind.allCases)
    relic.words = (0..<random.pick([0, 1, 3])).map { _ in random.pick(DifferentialPredicate.texts) }
    relic.counts = random.pick([[:], ["a": 1], ["a": 2, "\u{E9}": 3]])
    relic.place = place(&random)
    relic.home = random.pick([nil, place(&random)])
    if let vase = relic as? Vase { vase.clay = random.pick(DifferentialPredicate.texts) }
  }

  private static func place(_ random: inout SeededGenerator) -> RelicPlace {
    RelicPlace(
      city: random.pick(["Rome", "Oslo", "e\u{301}"]),
      zip: random.pick([nil, 1, 2]),
      latitude: random.pick([0, -0.0, 1.5, .infinity])
    )
  }
}
