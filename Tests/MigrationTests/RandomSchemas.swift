import Foundation
import OpenSwiftData
import StoreTestSupport

/// A random schema whose properties keep their identity over changes, so that the values that a
/// migration must keep are known without comparing schemas.
struct RandomSchema {
  /// A property, whose number is the same in every version.
  struct Property {
    var number: Int
    var name: String
    /// The name in the previous version, or `nil` for a new property.
    var oldName: String?
    var content: Content
    var isOptional = true
    var isUnique = false
    /// The options of an attribute.
    var options: Set<String> = []
    var deleteRule = "nullify"
    var defaultValue: StoreValue?

    var isToMany: Bool {
      if case .reference(_, isToMany: true, _) = content { return true }
      return false
    }

    var isEphemeral: Bool { options.contains("ephemeral") }
  }

  enum Content {
    case attribute(AttributeType)
    /// A relationship to an entity; the number of the inverse, or `nil` if there is none.
    case reference(String, isToMany: Bool, inverse: Int?)
  }

  struct Entity {
    var name: String
    var superentity: String?
    var properties: [Property]
    /// The numbers of the properties that are unique together.
    var constraints: [[Int]] = []
    /// The numbers of the properties that are indexed together.
    var indices: [[Int]] = []
  }

  static let types: [AttributeType] = [
    .string, .int64, .int32, .uint8, .double, .bool, .date, .data, .uuid, .decimal,
    .codable,
  ]
  private static let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]

  var entities: [Entity] = []
  private var numbers: SeededGenerator
  private var next = 1

  init(seed: UInt64) {
    numbers = SeededGenerator(seed: seed)
    for name in ["A", "B", "C"].prefix(1 + below(3)) {
      entities.append(Entity(name: name, superentity: nil, properties: []))
    }
    if entities.count == 3, chance(50) { entities[2].superentity = "A" }
    for index in entities.indices {
      for _ in 0...below(3) { addAttribute(to: index, isNew: false) }
    }
    for _ in 0..<below(3) { addRelationship() }
  }

  /// Returns the number of a new property.
  mutating func takeNumber() -> Int {
    defer { next += 1 }
    return next
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &numbers) }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// Returns the schema as stores see it.
  var schema: StoreSchema {
    StoreSchema(
      entities: entities.map { entity in
        StoreEntity(
          name: entity.name,
          superentity: entity.superentity,
          root: entity.superentity,
          properties: all(entity).map { stored($0) },
          uniquenessConstraints: lists(\.constraints, of: entity, isUnique: true),
          indices: lists(\.indices, of: entity, isUnique: false)
        )
      }
    )
  }

  /// Returns the properties of an entity, inherited ones first.
  func all(_ entity: Entity) -> [Property] {
    (entities.first { $0.name == entity.superentity }?.properties ?? []) + entity.properties
  }

  /// Returns the names of constraints or indexes, inherited ones first.
  private func lists(
    _ lists: KeyPath<Entity, [[Int]]>,
    of entity: Entity,
    isUnique: Bool
  ) -> [[String]] {
    let properties = all(entity)
    let above = entities.first { $0.name == entity.superentity }?[keyPath: lists] ?? []
    return (above + entity[keyPath: lists]).compactMap { numbers in
      let names = numbers.compactMap { number in
        properties.first { $0.number == number && !(isUnique && $0.isToMany) }?.name
      }
      return names.count == numbers.count ? names : nil
    }
  }

  func entity(named name: String) -> Entity? { entities.first { $0.name == name } }

  private func stored(_ property: Property) -> StoreProperty {
    let kind: StoreProperty.Kind
    switch property.content {
    case .attribute(let type): kind = .attribute(type)
    case .reference(let destination, let isToMany, let number):
      let inverse = number.flatMap { number in
        entities.flatMap(\.properties).first { $0.number == number }
      }
      var isToOne = false
      if case .reference(_, isToMany: false, _) = inverse?.content { isToOne = true }
      let relationship = StoreRelationship(
        destination: destination,
        inverse: inverse?.name,
        inverseIsToOne: isToOne,
        deleteRule: property.deleteRule
      )
      kind = isToMany ? .toMany(relationship) : .toOne(relationship)
    }
    return StoreProperty(
      name: property.name,
      originalName: property.oldName,
      kind: kind,
      isOptional: property.isOptional,
      isUnique: property.isUnique && !property.isToMany,
      options: property.options.sorted(),
      defaultValue: property.defaultValue
    )
  }

  // MARK: Changes

  /// Changes some things at random.
  mutating func change() {
    for index in entities.indices {
      for place in entities[index].properties.indices {
        entities[index].properties[place].oldName = entities[index].properties[place].name
        entities[index].properties[place].defaultValue = nil
      }
    }
    for _ in 0...below(4) {
      switch below(24) {
      case 0...3: rename()
      case 4: swapNames()
      case 5...6: remove()
      case 7...8: addAttribute(to: below(entities.count), isNew: true)
      case 9...10: changeType()
      case 11: changeRequirement()
      case 12: addRelationship()
      case 13: changeRelationship()
      case 14: changeEntities()
      case 15...22: changeDeclaration()
      default: changeSuperentity()
      }
    }
  }

  /// The places of all properties.
  var places: [(entity: Int, property: Int)] {
    entities.indices.flatMap { index in
      entities[index].properties.indices.map { (index, $0) }
    }
  }

  mutating func place() -> (entity: Int, property: Int)? {
    let places = places
    return places.isEmpty ? nil : places[below(places.count)]
  }

  /// Returns a name that the entity, and those it shares rows with, do not use.
  mutating func freeName(in entity: Int) -> String? {
    let root = entities[entity].superentity ?? entities[entity].name
    let used = entities.filter { $0.name == root || $0.superentity == root }
      .flatMap { $0.properties.map(\.name) }
    let free = Self.names.filter { !used.contains($0) }
    return free.isEmpty ? nil : free[below(min(free.count, 4))]
  }

  private mutating func rename() {
    guard let (entity, property) = place(), let name = freeName(in: entity) else { return }
    entities[entity].properties[property].name = name
  }

  private mutating func swapNames() {
    let entity = below(entities.count)
    let count = entities[entity].properties.count
    guard count > 1 else { return }
    let (first, second) = (below(count), below(count))
    let name = entities[entity].properties[first].name
    entities[entity].properties[first].name = entities[entity].properties[second].name
    entities[entity].properties[second].name = name
  }

  private mutating func remove() {
    guard let (entity, property) = place() else { return }
    let removed = entities[entity].properties.remove(at: property)
    if case .reference(_, _, let inverse?) = removed.content {
      for (entity, property) in places.reversed()
      where entities[entity].properties[property].number == inverse {
        entities[entity].properties.remove(at: property)
      }
    }
  }

  private mutating func addAttribute(to entity: Int, isNew: Bool) {
    guard let name = freeName(in: entity) else { return }
    let type = Self.types[below(Self.types.count)]
    var property = Property(number: next, name: name, content: .attribute(type))
    next += 1
    property.options = options()
    property.isUnique = chance(10)
    property.isOptional = chance(60)
    if !property.isOptional, isNew, chance(80) { property.defaultValue = value(of: type, 1) }
    entities[entity].properties.append(property)
  }

  private mutating func changeType() {
    guard let (entity, property) = place(),
      case .attribute = entities[entity].properties[property].content
    else { return }
    let type = Self.types[below(Self.types.count)]
    entities[entity].properties[property].content = .attribute(type)
    entities[entity].properties[property].defaultValue = nil
  }

  private mutating func changeRequirement() {
    guard let (entity, property) = place() else { return }
    entities[entity].properties[property].isOptional.toggle()
    if case .attribute(let type) = entities[entity].properties[property].content, chance(50) {
      entities[entity].properties[property].defaultValue = value(of: type, 2)
    }
  }

  private mutating func addRelationship() {
    let (owner, destination) = (below(entities.count), below(entities.count))
    guard let name = freeName(in: owner) else { return }
    var first = Property(
      number: next,
      name: name,
      content: .reference(entities[destination].name, isToMany: chance(50), inverse: nil)
    )
    next += 1
    first.deleteRule = deleteRule()
    guard chance(60), case .reference(let target, let isToMany, _) = first.content else {
      entities[owner].properties.append(first)
      return
    }
    first.content = .reference(target, isToMany: isToMany, inverse: next)
    entities[owner].properties.append(first)
    guard let name = freeName(in: destination) else {
      entities[owner].properties.removeLast()
      return
    }
    entities[destination].properties.append(
      Property(
        number: next,
        name: name,
        content: .reference(
          entities[owner].name,
          isToMany: chance(50),
          inverse: first.number
        )
      )
    )
    next += 1
  }

  private mutating func changeRelationship() {
    guard let (entity, property) = place(),
      case .reference(let destination, let isToMany, let inverse) = entities[entity]
        .properties[property].content
    else { return }
    entities[entity].properties[property].content = .reference(
      destination,
      isToMany: !isToMany,
      inverse: inverse
    )
  }

  private mutating func changeEntities() {
    if entities.count < 4, chance(50) {
      entities.append(Entity(name: "D\(next)", superentity: nil, properties: []))
      next += 1
      addAttribute(to: entities.count - 1, isNew: true)
      return
    }
    guard entities.count > 1, let gone = entities.last?.name else { return }
    entities.removeLast()
    for (entity, property) in places.reversed() {
      if case .reference(gone, _, _) = entities[entity].properties[property].content {
        entities[entity].properties.remove(at: property)
      }
    }
  }

  private mutating func changeSuperentity() {
    guard let index = entities.firstIndex(where: { $0.name == "C" }),
      let above = entity(named: "A")
    else { return }
    if entities[index].superentity == nil {
      let names = above.properties.map(\.name)
      guard !entities[index].properties.contains(where: { names.contains($0.name) }) else { return }
      entities[index].superentity = "A"
    } else {
      entities[index].superentity = nil
    }
  }

  // MARK: Values

  /// Returns a value of a type; equal numbers give equal values.
  mutating func value(of type: AttributeType, _ number: Int) -> StoreValue {
    switch type {
    case .string: .string(["", "e\u{301}", "\u{E9}", "x\0y", "12"][number % 5])
    case .int64: .integer([0, -1, 7, 300, 1 << 60][number % 5])
    case .int32: .integer([0, -1, 7, 300, 1 << 30][number % 5])
    case .uint8: .integer([0, 1, 7, 200, 255][number % 5])
    case .double: .double([0, -0.0, 0.5, .infinity, .nan][number % 5])
    case .bool: .bool(number.isMultiple(of: 2))
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number) * 0.1))
    case .data: .data(Data([UInt8(number)]))
    case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number))))
    case .decimal: .decimal(Decimal(number) / 10)
    case .codable:
      [
        .composite([]), .composite([.init("a", .integer(1)), .init("b", .string("x"))]),
        .array([.double(0.5), .null]), .array([]), .string("\u{E9}"),
      ][number % 5]
    default: .null
    }
  }

  /// Returns random values of a row's attributes, in the order of its entity's stored properties.
  mutating func values(of entity: Entity) -> [StoreValue] {
    all(entity).filter { !$0.isEphemeral }.map { property in
      guard case .attribute(let type) = property.content else {
        return property.isToMany ? .identifiers([]) : .null
      }
      if property.isOptional, chance(25) { return .null }
      let number = below(5)
      return value(of: type, number)
    }
  }
}
