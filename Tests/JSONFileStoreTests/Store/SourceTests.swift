import Foundation
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Synchronization
import Testing

/// A producer of rows of one entity.
private struct Rows: RowProducer {
  static let entity = StoreEntity(
    name: "Flat",
    properties: [
      ("text", .string), ("flag", .bool), ("small", .int8), ("whole", .int64), ("big", .uint64),
      ("real", .double), ("price", .decimal), ("day", .date), ("blob", .data), ("tag", .uuid),
    ].map { StoreProperty(name: $0, kind: .attribute($1), isOptional: true) }
  )

  let values: [[StoreValue]]

  /// Returns new rows.
  static func run(_ values: [[StoreValue]]) -> RowRun {
    RowRun(
      RowIdentifiers(
        values.map { _ in PersistentIdentifier.nextTemporaryNumber() },
        areTemporary: true,
        in: .init(storeIdentifier: nil, entityName: entity.name)
      ),
      of: entity,
      in: nil,
      from: Rows(values: values)
    )
  }

  /// Random values, of which some are null.
  static func random(_ count: Int, _ random: inout SeededGenerator) -> [[StoreValue]] {
    (0..<count).map { _ in
      entity.properties.map { property in
        guard Int.random(in: 0..<5, using: &random) > 0, case .attribute(let type) = property.kind
        else { return .null }
        return value(type, &random)
      }
    }
  }

  private static func value(_ type: AttributeType, _ random: inout SeededGenerator) -> StoreValue {
    switch type {
    case .string: .string(HardValues.strings.randomElement(using: &random) ?? "")
    case .bool: .bool(.random(using: &random))
    case .int8: .integer(.random(in: -128...127, using: &random))
    case .int64: .integer(.random(in: .min ... .max, using: &random))
    case .uint64: UInt64.random(in: .min ... .max, using: &random).storeValue
    case .double: .double(HardValues.doubles.randomElement(using: &random) ?? 0)
    case .decimal: .decimal(Decimal(Int.random(in: -99_999...99_999, using: &random)) / 100)
    case .date: .date(Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random)))
    case .data: .data(Data([.random(in: 0...255, using: &random)]))
    default: .uuid(UUID())
    }
  }

  func write(_ position: Int, to writer: RowWriter) {
    for (index, value) in values[position].enumerated() {
      switch value {
      // A null value is sometimes written and sometimes omitted.
      case .null where (position + index) % 2 == 0: break
      case .integer(let number): writer.write(number, at: index)
      case .double(let number): writer.write(number, at: index)
      case .string(let string): writer.write(string, at: index)
      case .date(let date): writer.write(date, at: index)
      case .bool(let flag): writer.write(flag, at: index)
      default: writer.write(value, at: index)
      }
    }
  }
}

/// A producer of values of some properties of stored rows.
private struct Changes: RowProducer {
  let properties: [Int]
  let values: [[StoreValue]]

  static func run(_ properties: [Int], _ keys: [Int64], _ values: [[StoreValue]]) -> RowRun {
    RowRun(
      RowIdentifiers(
        keys,
        areTemporary: false,
        in: .init(storeIdentifier: nil, entityName: Rows.entity.name)
      ),
      changing: properties,
      of: Rows.entity,
      in: nil,
      from: Changes(properties: properties, values: values)
    )
  }

  func write(_ position: Int, to writer: RowWriter) {
    for index in properties { writer.write(values[position][index], at: index) }
  }
}

/// A producer of one string, and of another that does not change, which counts how often it was read.
private final class NotingChange: RowProducer {
  let reads = Mutex(0)

  func write(_ position: Int, to writer: RowWriter) {
    reads.withLock { $0 += 1 }
    writer.write("changed", at: 0)
    writer.write("ignored", at: 1)
  }
}

@Suite struct SourceTests {
  private static let schema = Schema(storeSchema: StoreSchema(entities: [Rows.entity]))
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func records(_ values: [[StoreValue]]) -> [DefaultSnapshot] {
    values.map { values in
      DefaultSnapshot(
        persistentIdentifier: PersistentIdentifier(
          scope: .init(storeIdentifier: nil, entityName: Rows.entity.name),
          key: .temporary(PersistentIdentifier.nextTemporaryNumber())
        ),
        entity: Rows.entity,
        values: values
      )
    }
  }

  private func content(_ store: JSONFileStore) throws -> [String] {
    try store.fetch(StoreQuery(entity: "Flat")).map {
      "\($0.persistentIdentifier.key) \($0.version) \($0.values)"
    }
  }

  /// The same time and the same identifiers in every store.
  private static let environment = StoreEnvironment(
    now: { Date(timeIntervalSince1970: 1_700_000_000) },
    makeUUID: { UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) }
  )

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `Rows written directly equal rows written as records, byte by byte`(seed: UInt64) throws {
    try StoreEnvironment.$current.withValue(Self.environment) { try compare(seed: seed) }
  }

  private func compare(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let other = try StoreFixture()
    let store = try fixture.open(schema: Self.schema)
    let plain = try other.open(schema: Self.schema)
    var stored: Int64 = 0
    for _ in 0..<4 {
      let lists = (0..<2).map { _ in Rows.random(.random(in: 1...20, using: &random), &random) }
      let keys = (1...stored + 1).dropLast().filter { _ in .random(in: 0..<5, using: &random) == 0 }
      let values = Rows.random(keys.count, &random)
      let save = UUID()
      var direct = StoreChanges(saveIdentifier: save)
      direct.insertions = lists.map(Rows.run)
      direct.updates = keys.isEmpty ? [] : [Changes.run(Self.changed, keys, values)]
      let result = try store.apply(direct)
      var same = changes(lists.flatMap(\.self), keys, values, of: plain)
      same.saveIdentifier = save
      _ = try plain.apply(same)
      #expect(result.firstKeys == [stored + 1, stored + 1 + Int64(lists[0].count)])
      stored += Int64(lists[0].count + lists[1].count)
      #expect(try content(store) == content(plain))
      #expect(try fixture.text(fixture.journal) == other.text(other.journal))
    }
    try store.close()
    try plain.close()
    #expect(try fixture.text(fixture.url) == other.text(other.url))
    let reopened = try fixture.open(schema: Self.schema)
    #expect(try reopened.verify() == [])
    #expect(try reopened.fetch(StoreQuery(entity: "Flat")).count == Int(stored))
  }

  @Test func `The store reads a change from its producer once, and only its properties`() throws {
    let store = try fixture.open(schema: Self.schema)
    var changes = StoreChanges()
    changes.insertions = [Rows.run([Rows.entity.properties.map { _ in .null }])]
    _ = try store.apply(changes)
    let producer = NotingChange()
    let row = RowIdentifiers(
      [1],
      areTemporary: false,
      in: .init(storeIdentifier: store.identifier, entityName: "Flat")
    )
    changes = StoreChanges()
    changes.updates = [RowRun(row, changing: [0], of: Rows.entity, in: nil, from: producer)]
    // The check of protected references reads the plan, not the producer.
    changes.protectedReferences = [StoreReference("text", of: "Flat")]
    _ = try store.apply(changes)
    #expect(producer.reads.withLock { $0 } == 1)
    let values = try #require(try store.fetch(StoreQuery(entity: "Flat")).first?.values)
    #expect(values == [.string("changed")] + Rows.entity.properties.dropFirst().map { _ in .null })
  }

  private static let changed = [0, 3, 5, 7]

  private func changes(
    _ inserted: [[StoreValue]],
    _ keys: [Int64],
    _ values: [[StoreValue]],
    of store: JSONFileStore
  ) -> StoreChanges {
    let scope = PersistentIdentifier.Scope(storeIdentifier: store.identifier, entityName: "Flat")
    return StoreChanges(
      inserted: records(inserted),
      updated: zip(keys, values).map { key, values in
        StoreUpdate(
          identifier: PersistentIdentifier(scope: scope, key: .integer(key)),
          changes: Self.changed.map { .init($0, values[$0]) }
        )
      }
    )
  }

  @Test func `A value that does not fit its type is refused, and nothing is saved`() throws {
    let store = try fixture.open(schema: Self.schema)
    var row = Rows.entity.properties.map { _ in StoreValue.null }
    row[2] = .integer(128)
    var changes = StoreChanges()
    changes.insertions = [Rows.run([row])]
    let error = #expect(throws: DataStoreError.invalidValue) { try store.apply(changes) }
    #expect(error?.property == "small")
    #expect(try content(store) == [])
    changes.insertions = []
    changes.updates = [Changes.run([0], [9], [row])]
    #expect(throws: DataStoreError.conflict) { try store.apply(changes) }
  }
}
