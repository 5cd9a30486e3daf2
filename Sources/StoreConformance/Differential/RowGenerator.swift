import StoreProtocol

/// Creates random rows of all entities of the sample schema, with random relationships.
struct RowGenerator {
  private static let entities = [
    "Exhibit", "Exhibit", "Exhibit", "Exhibit", "Specimen", "Specimen", "Person", "Person",
    "Person", "Group", "Passport", "Seat", "Dog", "Puppy", "Cat", "Animal",
  ]

  private var source: RandomSource
  private var rows: [DifferentialRow]
  private var texts: [StoreValue]

  /// Returns the rows of a seed, first one of each entity in turn.
  static func rows(seed: UInt64, count: Int) throws -> [DifferentialRow] {
    var source = RandomSource(seed: seed)
    let rows = (0..<count).map { number in
      let entity = number < Self.entities.count ? Self.entities[number] : source.pick(Self.entities)
      return DifferentialRow(Int64(number + 1), entity)
    }
    var maker = RowGenerator(source: source, rows: rows, texts: [])
    maker.texts = maker.differentStrings()
    for index in rows.indices { try maker.fill(index) }
    maker.join("groups", "members")
    maker.pair("passport", "holder")
    return maker.rows
  }

  /// Returns distinct strings, for unique properties.
  private mutating func differentStrings() -> [StoreValue] {
    var found: [String] = []
    for text in SampleValues.strings where !found.contains(text) { found.append(text) }
    return found.shuffled(using: &source).map { .string($0) }
  }

  private mutating func fill(_ index: Int) throws {
    for property in try Sample.entity(rows[index].entity).properties {
      rows[index].values[property.name] = value(of: property, in: rows[index])
    }
  }

  private mutating func value(
    of property: StoreProperty,
    in row: DifferentialRow
  ) -> StoreValue? {
    if property.isUnique {
      return source.oneIn(2) ? nil : unique(property, row)
    }
    switch (row.entity, property.name) {
    case ("Group", "year"): return source.oneIn(2) ? nil : .integer(2_000 + row.number)
    case ("Seat", "row"): return .integer(row.number)
    case (_, "groups"), (_, "members"), (_, "passport"), (_, "holder"): return nil
    default: break
    }
    guard let relationship = property.relationship else {
      return source.value(of: SampleTypes.type(of: property))
    }
    let fitting = rows.filter { $0.isKind(of: relationship.destination) }.map(\.identifier)
    if property.isToMany {
      return source.oneIn(3) ? nil : .identifiers(source.some(of: fitting, atMost: 5))
    }
    return source.oneIn(3) ? nil : fitting.randomElement(using: &source).map { .identifier($0) }
  }

  private mutating func unique(_ property: StoreProperty, _ row: DifferentialRow) -> StoreValue {
    if property.attributeType == .int64 { return .integer(row.number - 5) }
    return texts.popLast() ?? .string("u\(row.number)")
  }

  /// Relates rows at random by a many-to-many relationship.
  private mutating func join(_ near: String, _ far: String) {
    let (owners, others) = ends(near, far)
    for owner in owners {
      for other in source.some(of: others, atMost: 3) {
        append(rows[other].identifier, to: near, of: owner)
        append(rows[owner].identifier, to: far, of: other)
      }
    }
  }

  private mutating func append(_ one: PersistentIdentifier, to name: String, of row: Int) {
    var list: [PersistentIdentifier] = []
    if case .identifiers(let found) = rows[row].values[name] { list = found }
    list.insert(one, at: source.below(list.count + 1))
    rows[row].values[name] = .identifiers(list)
  }

  /// Relates rows at random by a one-to-one relationship.
  private mutating func pair(_ near: String, _ far: String) {
    let (owners, others) = ends(near, far)
    for (owner, other) in zip(owners.shuffled(using: &source), others) where !source.oneIn(4) {
      rows[owner].values[near] = .identifier(rows[other].identifier)
      rows[other].values[far] = .identifier(rows[owner].identifier)
    }
  }

  private func ends(_ near: String, _ far: String) -> ([Int], [Int]) {
    func having(_ name: String) -> [Int] {
      rows.indices.filter { (try? Sample.entity(rows[$0].entity).property(named: name)) != nil }
    }
    return (having(near), having(far))
  }
}

extension DifferentialRow {
  func isKind(of entity: String) -> Bool {
    Sample.schema.storeSchema.isEntity(self.entity, kindOf: entity)
  }
}
