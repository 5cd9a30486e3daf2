import Foundation
import OpenSwiftData

struct FixtureRow {
  let entity: String
  /// The location of the object in the fixture, such as `Trip[0].stops[1]`.
  let path: String
  /// The key of the object, or `nil` if it has none.
  var key: String?
  /// The attributes as written in the fixture.
  var attributes: [String: FixtureValue] = [:]
  /// The objects of relationships, by property.
  var references: [FixtureReference] = []
}

/// A relationship of an object of a fixture.
struct FixtureReference {
  let property: String
  let isToMany: Bool
  let path: String
  var targets: [Target] = []

  /// An object at the other end.
  enum Target {
    /// An object named by its key in the fixture.
    case key(String, path: String)
    /// An object by its index among the rows.
    case row(Int)
  }
}

/// Creates rows of a fixture, and checks names.
struct FixtureReader {
  private let fixture: Fixture
  private let schema: StoreSchema
  /// The objects, model by model; nested ones follow those that contain them.
  private(set) var rows: [FixtureRow] = []

  init(_ fixture: Fixture, schema: Schema) {
    self.fixture = fixture
    self.schema = schema.storeSchema
  }

  mutating func read() throws {
    // A decoder does not tell the order of an object's members.
    for (name, list) in try entities().sorted(by: { $0.key < $1.key }) {
      guard schema.entity(named: name) != nil else {
        throw fixture.failure(
          "the schema has no model \(name); it has \(names(schema.entities.map(\.name)))"
        )
      }
      guard case .list(let objects) = list else {
        throw fixture.failure(
          "the objects of \(name) must be in a list, not \(list.kindName)",
          entity: name
        )
      }
      for (index, object) in objects.enumerated() {
        try add(object, of: name, at: "\(name)[\(index)]")
      }
    }
  }

  private func entities() throws -> [String: FixtureValue] {
    let document = try fixture.document()
    guard case .object(let members) = document else {
      throw fixture.failure(
        "a fixture must be an object with a list for each model, not \(document.kindName)"
      )
    }
    // The document of a JSON store.
    guard members["format"]?.key == "OpenSwiftData",
      case .object(let lists)? = members["entities"]
    else { return members }
    return lists
  }

  /// Adds an object with its nested objects.
  ///
  /// - Returns: Its index among the rows.
  @discardableResult
  private mutating func add(
    _ value: FixtureValue,
    of declared: String,
    at path: String
  ) throws -> Int {
    guard case .object(let members) = value else {
      throw fixture.failure(
        "an object is expected, not \(value.kindName)",
        at: path,
        entity: declared
      )
    }
    let entity = try entity(of: members, declared: declared, at: path)
    let rowIndex = rows.count
    rows.append(FixtureRow(entity: entity.name, path: path))
    for (name, value) in members.sorted(by: { $0.key < $1.key }) where name != "$entity" {
      if name == "$id" {
        guard let key = value.key else {
          throw fixture.failure(
            "a $id must be a string or an integer, not \(value.kindName)",
            at: path,
            entity: entity.name
          )
        }
        rows[rowIndex].key = key
      } else if let property = entity.property(named: name) {
        try add(value, as: property, to: rowIndex)
      } else {
        throw fixture.failure(
          "\(entity.name) has no property \(name); it has \(names(entity.properties.map(\.name)))",
          at: path,
          entity: entity.name
        )
      }
    }
    return rowIndex
  }

  private func entity(
    of members: [String: FixtureValue],
    declared: String,
    at path: String
  ) throws -> StoreEntity {
    let name = members["$entity"].map { $0.key ?? $0.kindName } ?? declared
    guard let entity = schema.entity(named: name), schema.isEntity(name, kindOf: declared) else {
      throw fixture.failure(
        "\(name) is not \(declared) or a model that inherits from it",
        at: path,
        entity: declared
      )
    }
    return entity
  }

  private mutating func add(
    _ value: FixtureValue,
    as property: StoreProperty,
    to rowIndex: Int
  ) throws {
    guard let relationship = property.relationship else {
      rows[rowIndex].attributes[property.name] = value
      return
    }
    if case .null = value { return }
    let path = "\(rows[rowIndex].path).\(property.name)"
    var targets = [(value: value, path: path)]
    if property.isToMany {
      guard case .list(let list) = value else {
        throw fixture.failure(
          "a list is expected, not \(value.kindName)",
          at: path,
          entity: rows[rowIndex].entity,
          property: property.name
        )
      }
      targets = list.enumerated().map { ($1, "\(path)[\($0)]") }
    }
    var reference = FixtureReference(
      property: property.name,
      isToMany: property.isToMany,
      path: path
    )
    for target in targets {
      if let key = target.value.key {
        reference.targets.append(.key(key, path: target.path))
      } else {
        let index = try add(target.value, of: relationship.destination, at: target.path)
        reference.targets.append(.row(index))
      }
    }
    rows[rowIndex].references.append(reference)
  }

  private func names(_ names: [String]) -> String { names.sorted().joined(separator: ", ") }
}
