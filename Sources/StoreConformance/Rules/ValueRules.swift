import Foundation
import StoreProtocol

/// Rules about values, which must read back exactly.
enum ValueRules {
  static let all: [Rule] =
    SampleValues.types.enumerated().map { number, type in
      Rule(
        "VALUE-\(String(101 + number))",
        "Every \(type.rawValue) value is read back exactly, inserted or updated."
      ) { try valuesReadBack(type, $0) }
    } + [
      Rule("VALUE-001", "Each optional attribute can be nil.", nilReadsBack),
      Rule("VALUE-003", "A row has a value for each property of its entity.", rowsAreComplete),
      Rule("VALUE-005", "A string or data of a million bytes is read back unchanged.", largeValues),
      Rule("VALUE-006", "Reading row by row returns the same values as fetching.", readersAgree),
      Rule(
        "VALUE-007",
        "A record with values in another order is stored by property name.",
        namesDecide
      ),
      .durable(
        "VALUE-008",
        "Values of all types are read back exactly after the store is reopened.",
        valuesAreKept
      ),
    ]

  private static func valuesReadBack(_ type: AttributeType, _ bench: StoreBench) throws {
    let name = type.rawValue
    let values = SampleValues.values(of: type)
    let others = values.dropFirst() + values.prefix(1)
    let store = try bench.store
    // Programs save objects, which write their values themselves, more often than records.
    for isProduced in [false, true] {
      func apply(_ changes: StoreChanges) throws -> [PersistentIdentifier] {
        let schema = bench.schema.storeSchema
        let changes = isProduced ? try changes.produced(schema, in: store.identifier) : changes
        return try store.apply(changes).identifiers(of: changes, in: store)
      }
      let records = try values.map { try Sample.record("Specimen", [name: $0]) }
      let rows = try apply(StoreChanges(inserted: records))
      for (row, value) in zip(rows, values) {
        try expect("an inserted value", bench.value(name, of: row), equals: value)
      }
      let updates = try zip(rows, others).map { try Sample.update($0, [name: $1]) }
      _ = try apply(StoreChanges(updated: updates))
      for (row, value) in zip(rows, others) {
        try expect("an updated value", bench.value(name, of: row), equals: value)
      }
    }
  }

  private static func nilReadsBack(_ bench: StoreBench) throws {
    let full = try bench.insert([fullSpecimen()])[0]
    let empty = try bench.insert("Specimen")
    for type in SampleValues.types {
      try expect("no \(type)", bench.value(type.rawValue, of: empty), equals: .null)
    }
    let nothing = Dictionary(
      uniqueKeysWithValues: SampleValues.types.map { ($0.rawValue, StoreValue.null) }
    )
    try bench.update(full, nothing)
    for type in SampleValues.types {
      try expect("\(type) set to nil", bench.value(type.rawValue, of: full), equals: .null)
    }
  }

  private static func rowsAreComplete(_ bench: StoreBench) throws {
    for entity in Sample.schema.storeSchema.entities {
      let row = try bench.insert(entity.name)
      let record = try bench.record(row)
      let names = entity.properties.map(\.name)
      try expect("the names of a row of \(entity.name)", record?.names.names, equals: names)
      try expect("the number of values", record?.values.count, equals: entity.properties.count)
    }
  }

  private static func largeValues(_ bench: StoreBench) throws {
    let text = StoreValue.string(String(repeating: "é👩‍👩‍👧‍👦\n", count: 40_000))
    let bytes = StoreValue.data(Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
    let row = try bench.insert("Specimen", ["string": text, "data": bytes])
    try expect("the text", bench.value("string", of: row) == text, "the saved string")
    try expect("the data", bench.value("data", of: row) == bytes, "the data that was saved")
  }

  private static func readersAgree(_ bench: StoreBench) throws {
    let counts = SampleValues.types.map { SampleValues.values(of: $0).count }
    _ = try bench.insert((0..<(counts.max() ?? 0)).map(fullSpecimen))
    try bench.insert("Specimen")
    try bench.insert("Puppy", ["name": .string("a"), "litter": .integer(2)])
    try bench.insert("Cat", ["name": .string("b"), "lives": .integer(9)])
    for entity in ["Specimen", "Animal"] {
      let query = StoreQuery(entity: entity)
      let fetched = try bench.store.fetch(query)
      var read: [DefaultSnapshot] = []
      try bench.store.read(query) { reader in
        let values = try reader.entity.properties.indices.map { index in
          reader.entity.properties[index].isToMany ? .null : try reader.value(at: index)
        }
        read.append(
          DefaultSnapshot(
            persistentIdentifier: reader.identifier,
            entity: reader.entity,
            values: values
          )
        )
      }
      try expect("the rows of \(entity)", read, equals: fetched)
    }
  }

  private static func namesDecide(_ bench: StoreBench) throws {
    let record = try fullSpecimen()
    let names = PropertyNames(record.names.names.sorted())
    let shuffled = DefaultSnapshot(
      persistentIdentifier: record.persistentIdentifier,
      names: names,
      values: names.names.map { record[$0] ?? .null }
    )
    let row = try bench.insert([shuffled])[0]
    for type in SampleValues.types {
      let expected = record[type.rawValue] ?? .null
      try expect("the value of \(type)", bench.value(type.rawValue, of: row), equals: expected)
    }
  }

  private static func valuesAreKept(_ bench: StoreBench) throws {
    var expected: [(PersistentIdentifier, String, StoreValue)] = []
    for type in SampleValues.types {
      let values = SampleValues.values(of: type)
      let records = try values.map { try Sample.record("Specimen", [type.rawValue: $0]) }
      for (row, value) in zip(try bench.insert(records), values) {
        expected.append((row, type.rawValue, value))
      }
    }
    try bench.reopen()
    for (row, name, value) in expected {
      try expect("the value of \(name)", bench.value(name, of: row), equals: value)
    }
  }

  /// Returns a record with a value in each stored attribute: the values at a position, modulo their
  /// number.
  private static func fullSpecimen(_ position: Int = 0) throws -> DefaultSnapshot {
    var values: [String: StoreValue] = ["name": .string("full")]
    for type in SampleValues.types {
      let list = SampleValues.values(of: type)
      values[type.rawValue] = list[position % list.count]
    }
    return try Sample.record("Specimen", values)
  }
}
