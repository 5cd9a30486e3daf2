import StoreProtocol

/// Unique values of every type.
enum UniqueTypeRules {
  private static let types = SampleValues.types.filter { $0 != .codable && $0 != .bool }

  static let all: [Rule] =
    types.enumerated().map { number, type in
      Rule(
        "UNIQUE-\(101 + number)",
        "Unique \(type.rawValue) values are equal exactly where Swift finds them equal.",
        needs: [.uniqueness],
        since: 2
      ) { try check(type, $0) }
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
    // NaN comes twice, and so does nil: neither is equal to itself.
    let values = sample + sample.filter { !$0.isEqual(to: $0) } + [.null, .null]
    // The row that each value must lead to: that of the first value which it equals.
    let owners = values.indices.map { index in
      values[index].isNull
        ? index : values[..<index].firstIndex { $0.isEqual(to: values[index]) } ?? index
    }
    var rows: [PersistentIdentifier] = []
    for (index, value) in values.enumerated() {
      let record = newRecord(of: entity, [.string("\(index)"), value])
      rows.append(try bench.save(inserting: [record]).identifier(of: record))
      let equal = rows.indices.filter { rows[$0] == rows[index] }
      let expected = rows.indices.filter { owners[$0] == owners[index] }
      try expect(
        "the values that share a row with \(value)",
        equal.map { values[$0] },
        equals: expected.map { values[$0] }
      )
    }
    try expect(
      "the rows",
      bench.store.count(StoreQuery(entity: "Only")),
      equals: Set(owners).count
    )
    try checkUpdates(bench, values, owners, rows)
  }

  /// An update to a value that another row has is refused, and to any other value is not.
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

  private static func newRecord(of entity: StoreEntity, _ values: [StoreValue]) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: entity.name),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      entity: entity,
      values: values
    )
  }
}
