import Foundation
import StoreProtocol

/// Rules about unique values of every type.
enum UniqueTypeRules {
  private static let types = SampleValues.types.filter { $0 != .codable && $0 != .bool }

  static let all: [Rule] =
    [
      Rule(
        "UNIQUE-015",
        "A constraint of a subentity applies only to its rows, for all spellings of a string.",
        needs: [.uniqueness],
        since: 2,
        constraintBelow
      ),
      Rule(
        "UNIQUE-016",
        "Compound unique values that contain NaN are not equal.",
        needs: [.uniqueness],
        since: 2,
        compoundWithNaN
      ),
    ]
    + types.enumerated().map { number, type in
      Rule(
        "UNIQUE-\(101 + number)",
        "Unique \(type.rawValue) values are equal exactly if they are equal in Swift.",
        needs: [.uniqueness],
        since: 2
      ) { try check(type, $0) }
    }

  private static func constraintBelow(_ bench: StoreBench) throws {
    let name = SampleEntities.attribute("name", .string, isOptional: false)
    let plant = StoreEntity(name: "Plant", properties: [name])
    let tree = StoreEntity(
      name: "Tree",
      superentity: "Plant",
      root: "Plant",
      properties: [name],
      uniquenessConstraints: [["name"]]
    )
    try bench.open(Schema(storeSchema: StoreSchema(entities: [plant, tree])))
    let spellings = ["e\u{301}", "\u{E9}"]
    let plants = try bench.insert(spellings.map { Sample.record(of: plant, [.string($0)]) })
    let trees = try spellings.map {
      try bench.insert([Sample.record(of: tree, [.string($0)])])[0]
    }
    try expect("the rows of the entity above", Set(plants).count, equals: 2)
    try expect("the row below", trees[0], equals: trees[1])
    try expect("rows of both", plants.contains(trees[0]), equals: false)
  }

  private static func compoundWithNaN(_ bench: StoreBench) throws {
    let entity = StoreEntity(
      name: "Reading",
      properties: [
        SampleEntities.attribute("sensor", .string), SampleEntities.attribute("value", .double),
        SampleEntities.attribute("at", .date),
      ],
      uniquenessConstraints: [["sensor", "value", "at"]]
    )
    try bench.open(Schema(storeSchema: StoreSchema(entities: [entity])))
    let date = StoreValue.date(Date(timeIntervalSinceReferenceDate: 1))
    func insert(_ value: Double, _ sensor: String = "e\u{301}") throws -> PersistentIdentifier {
      try bench.insert([Sample.record(of: entity, [.string(sensor), .double(value), date])])[0]
    }
    let rows = try [insert(.nan), insert(.nan), insert(1), insert(0)]
    try expect("rows with NaN, and others", Set(rows).count, equals: 4)
    try expect("an equal row", insert(1, "\u{E9}"), equals: rows[2])
    try expect("an equal row with -0.0", insert(-0.0), equals: rows[3])
    try bench.save(
      updating: [StoreUpdate(identifier: rows[2], changes: [.init(1, .double(.nan))])]
    )
    try expect("a row with a value that is free", Set(rows).contains(insert(1)), equals: false)
  }

  private static func check(_ type: AttributeType, _ bench: StoreBench) throws {
    let entity = StoreEntity(
      name: "Only",
      properties: [
        SampleEntities.attribute("name", .string, isOptional: false),
        SampleEntities.attribute("value", type, isUnique: true),
      ],
      uniquenessConstraints: [["value"]]
    )
    try bench.open(Schema(storeSchema: StoreSchema(entities: [entity])))
    let sample = SampleValues.values(of: type)
    // NaN and nil occur twice: neither equals itself.
    let values = sample + sample.filter { !$0.isEqual(to: $0) } + [.null, .null]
    // The row that each value must identify: that of the first equal value.
    let owners = values.indices.map { index in
      values[index].isNull
        ? index : values[..<index].firstIndex { $0.isEqual(to: values[index]) } ?? index
    }
    var rows: [PersistentIdentifier] = []
    for (index, value) in values.enumerated() {
      let record = Sample.record(of: entity, [.string("\(index)"), value])
      rows.append(try bench.save(inserting: [record]).identifier(of: record))
      let equal = rows.indices.filter { rows[$0] == rows[index] }
      let expected = rows.indices.filter { owners[$0] == owners[index] }
      try expect(
        "the values that share a row with \(value)",
        equal.map { values[$0] },
        equals: expected.map { values[$0] }
      )
    }
    let count = try bench.store.count(StoreQuery(entity: "Only"))
    try expect("the rows", count, equals: Set(owners).count)
    try checkUpdates(bench, values, owners, rows)
  }

  /// Checks that an update to a value of another row throws, and that an update to any other value
  /// succeeds.
  private static func checkUpdates(
    _ bench: StoreBench,
    _ values: [StoreValue],
    _ owners: [Int],
    _ rows: [PersistentIdentifier]
  ) throws {
    guard let last = rows.last else { return }
    for (index, value) in values.enumerated() where !value.isNull && value.isEqual(to: value) {
      try expect("an update to \(value), which row \(rows[index]) has", throws: .uniqueConflict) {
        try bench.save(
          updating: [StoreUpdate(identifier: last, changes: [.init(1, value)])]
        )
      }
    }
  }
}
