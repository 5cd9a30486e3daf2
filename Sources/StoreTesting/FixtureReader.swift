import OpenSwiftData

struct FixtureRow {
  let entity: String
  let line: Int
  /// The key of the object, or `nil` if it has none.
  var key: String?
  /// The attributes as written in the fixture.
  var attributes: [FixtureNode.Member] = []
  /// The objects of relationships, by property.
  var references: [FixtureReference] = []
}

/// A relationship of an object of a fixture.
struct FixtureReference {
  let property: String
  let isToMany: Bool
  let line: Int
  var targets: [Target] = []

  /// An object at the other end.
  enum Target {
    /// An object named by its key in the fixture.
    case key(String, line: Int)
    /// An object by its index among the rows.
    case row(Int)
  }
}

/// Creates rows of a fixture, and checks names.
struct FixtureReader {
  private let fixture: Fixture
  private let schema: StoreSchema
  /// The objects in the order of the fixture; nested ones follow those that contain them.
  private(set) var rows: [FixtureRow] = []

  init(_ fixture: Fixture, schema: Schema) {
    self.fixture = fixture
    self.schema = schema.storeSchema
  }

  mutating func read() throws {
    var scanner = FixtureScanner(fixture)
    let document = try scanner.document()
    for member in try entities(of: document) {
      guard schema.entity(named: member.name) != nil else {
        throw fixture.failure(
          "the schema has no model \(member.name); it has \(list(schema.entities.map(\.name)))",
          line: member.line
        )
      }
      guard case .list(let objects) = member.value.content else {
        throw fixture.failure(
          "the objects of \(member.name) must be in a list, not \(member.value.kindName)",
          line: member.value.line,
          entity: member.name
        )
      }
      for object in objects { try add(object, of: member.name) }
    }
  }

  private func entities(of document: FixtureNode) throws -> [FixtureNode.Member] {
    guard case .object(let members) = document.content else {
      throw fixture.failure(
        "a fixture must be an object with a list for each model, not \(document.kindName)",
        line: document.line
      )
    }
    // The document of a JSON store.
    guard members.contains(where: { $0.name == "format" && $0.value.key == "OpenSwiftData" }),
      let entities = members.first(where: { $0.name == "entities" }),
      case .object(let lists) = entities.value.content
    else { return members }
    return lists
  }

  /// Adds an object with its nested objects.
  ///
  /// - Returns: Its index among the rows.
  @discardableResult
  private mutating func add(_ node: FixtureNode, of declared: String) throws -> Int {
    guard case .object(let members) = node.content else {
      throw fixture.failure(
        "an object is expected, not \(node.kindName)",
        line: node.line,
        entity: declared
      )
    }
    let entity = try entity(of: members, declared: declared)
    let rowIndex = rows.count
    rows.append(FixtureRow(entity: entity.name, line: node.line))
    for member in members where member.name != "$entity" {
      if member.name == "$id" {
        guard let key = member.value.key else {
          throw fixture.failure(
            "a $id must be a string or an integer, not \(member.value.kindName)",
            line: member.line,
            entity: entity.name
          )
        }
        rows[rowIndex].key = key
      } else if let property = entity.property(named: member.name) {
        try add(member, as: property, to: rowIndex)
      } else {
        throw fixture.failure(
          "\(entity.name) has no property \(member.name); it has "
            + list(entity.properties.map(\.name)),
          line: member.line,
          entity: entity.name
        )
      }
    }
    return rowIndex
  }

  private func entity(
    of members: [FixtureNode.Member],
    declared: String
  ) throws -> StoreEntity {
    let named = members.first { $0.name == "$entity" }
    let name = named.map { $0.value.key ?? $0.value.kindName } ?? declared
    guard let entity = schema.entity(named: name), schema.isEntity(name, kindOf: declared) else {
      throw fixture.failure(
        "\(name) is not \(declared) or a model that inherits from it",
        line: named?.line ?? 1,
        entity: declared
      )
    }
    return entity
  }

  private mutating func add(
    _ member: FixtureNode.Member,
    as property: StoreProperty,
    to rowIndex: Int
  ) throws {
    guard let relationship = property.relationship else {
      return rows[rowIndex].attributes.append(member)
    }
    guard !member.value.isNull else { return }
    let entity = rows[rowIndex].entity
    var targets: [FixtureNode] = [member.value]
    if property.isToMany {
      guard case .list(let list) = member.value.content else {
        throw fixture.failure(
          "a list is expected, not \(member.value.kindName)",
          line: member.value.line,
          entity: entity,
          property: property.name
        )
      }
      targets = list
    }
    var reference = FixtureReference(
      property: property.name,
      isToMany: property.isToMany,
      line: member.line
    )
    for target in targets {
      if let key = target.key {
        reference.targets.append(.key(key, line: target.line))
      } else {
        reference.targets.append(.row(try add(target, of: relationship.destination)))
      }
    }
    rows[rowIndex].references.append(reference)
  }

  private func list(_ names: [String]) -> String { names.sorted().joined(separator: ", ") }
}
