import CoreDataFiles
import StoreProtocol

/// The differences between the model of a file and the model of the store.
package struct ModelChanges: Hashable, Sendable {
  /// The entities to include with their hierarchies; empty for all.
  package var entities: [String] = []
  /// The new names of entities (`Person`) and of properties (`Person.name`).
  package var names: [String: String] = [:]
  /// The required attributes that may be absent, by their new names (`Person.name`).
  package var optionalAttributes: Set<String> = []

  /// Creates a description without differences.
  package init() {}
}

/// Applies changes to a file's model and to its layout.
struct ModelAdjustment {
  private let model: ManagedModel
  private var changes: ModelChanges
  private let decodesTransformables: Bool
  private let hierarchy: Hierarchy
  private let shown: Set<String>

  /// Checks changes of a model.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` for names that the model lacks.
  init(_ model: ManagedModel, _ changes: ModelChanges, decodesTransformables: Bool) throws {
    self.model = model
    self.changes = changes
    self.decodesTransformables = decodesTransformables
    hierarchy = Hierarchy(model)
    let names = changes.entities.isEmpty ? model.entities.map(\.name) : changes.entities
    let entityNames = Set(model.entities.map(\.name))
    if let unknown = names.first(where: { !entityNames.contains($0) }) {
      throw Self.error("the model has no entity \(unknown); it has \(Self.list(entityNames))")
    }
    shown = Set(
      names.flatMap { [hierarchy] name in
        hierarchy.family(of: hierarchy.root(of: name)).map(\.name)
      }
    )
    for name in changes.names.keys where !entityNames.contains(name) { try checkProperty(name) }
  }

  /// The required attributes that may be absent, by their new names (`Person.name`).
  var optionalAttributes: Set<String> { changes.optionalAttributes }

  /// Makes each required attribute optional that has no value in some row.
  ///
  /// Core Data checks the model's rule only when it saves. A program reads such a number as 0, but
  /// the file does not contain that value.
  mutating func allowAbsentValues(in layout: SourceLayout, _ reader: SourceReader) {
    for entity in model.entities where shown.contains(entity.name) {
      guard let stored = layout.entities[entity.name] else { continue }
      let required = entity.attributes.filter { $0.isNullWithoutValue && !$0.isOptional }
        .compactMap { attribute -> (name: String, isAbsent: String)? in
          let columns = stored.attributes[attribute.name]?.names ?? []
          let tests = columns.map { "\(SourceReader.quoted($0)) IS NULL" }
          return tests.isEmpty ? nil : (attribute.name, tests.joined(separator: " AND "))
        }
      guard !required.isEmpty else { continue }
      let numbers = hierarchy.family(of: entity.name)
        .compactMap { layout.entities[$0.name]?.number }
      let sql =
        "SELECT \(required.map { "max(\($0.isAbsent))" }.joined(separator: ", ")) "
        + "FROM \(SourceReader.quoted(stored.table)) "
        + "WHERE Z_ENT IN (\(SourceReader.list(numbers)))"
      // A damaged table is reported when its rows are read.
      let found = try? reader.rows(sql) { row in
        required.indices.filter { row.integer($0) == 1 }.map { required[$0].name }
      }
      for attribute in found?.first ?? [] {
        let name = self.name(of: attribute, in: entity.name)
        changes.optionalAttributes.insert("\(self.name(of: entity.name)).\(name)")
      }
    }
  }

  /// Returns the new name of an entity.
  func name(of entity: String) -> String { changes.names[entity] ?? entity }

  /// Returns the new name of a property, which the entity may inherit.
  func name(of property: String, in entity: String) -> String {
    let line = [entity] + hierarchy.ancestors(of: entity).map(\.name)
    return line.lazy.compactMap { changes.names["\($0).\(property)"] }.first ?? property
  }

  /// Returns the model of the store.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` if new names are taken.
  func adjustedModel() throws -> ManagedModel {
    var result = ManagedModel(
      entities: model.entities.filter { shown.contains($0.name) }.map(adjusted),
      versionIdentifiers: model.versionIdentifiers
    )
    do {
      try result.check()
    } catch {
      throw DataStoreError(
        .invalidConfiguration,
        "the model with the new names is invalid: \(error.reason)"
      )
    }
    return result
  }

  private func adjusted(_ entity: ManagedModel.Entity) -> ManagedModel.Entity {
    func new(_ property: String) -> String { name(of: property, in: entity.name) }
    var result = entity
    result.name = name(of: entity.name)
    result.superentity = entity.superentity.map(name(of:))
    result.attributes = entity.attributes.map { attribute in
      adjusted(attribute, new(attribute.name), of: entity.name)
    }
    .sorted { $0.name < $1.name }
    result.relationships = entity.relationships.filter { shown.contains($0.destination) }
      .map { relationship in
        var result = relationship
        result.name = new(relationship.name)
        result.destination = name(of: relationship.destination)
        result.inverse = relationship.inverse.map { name(of: $0, in: relationship.destination) }
        return result
      }
      .sorted { $0.name < $1.name }
    let left = Set(entity.relationships.filter { !shown.contains($0.destination) }.map(\.name))
    func lists(_ lists: [[String]]) -> [[String]] {
      lists.filter { left.isDisjoint(with: $0) }.map { $0.map(new) }
    }
    result.uniquenessConstraints = lists(entity.uniquenessConstraints)
    result.indices = lists(entity.indices)
    return result
  }

  private func adjusted(
    _ attribute: ManagedModel.Attribute,
    _ name: String,
    of entity: String
  ) -> ManagedModel.Attribute {
    var result = attribute
    result.name = name
    // The element with the raw value of an enumeration has the name of its attribute.
    if attribute.rawValue != nil { result.elements[0].name = name }
    // An attribute that is absent in an object of a subentity is optional in all.
    let isOptional = hierarchy.family(of: entity).contains {
      changes.optionalAttributes.contains("\(self.name(of: $0.name)).\(name)")
    }
    if isOptional { result.isOptional = true }
    if attribute.type == .transformable, !decodesTransformables { result.type = .binary }
    return result
  }

  private func checkProperty(_ name: String) throws {
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    guard let entity = model.entity(named: parts[0]) else {
      throw Self.error(
        "the model has no entity \(parts[0]); it has \(Self.list(model.entities.map(\.name)))"
      )
    }
    let own = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    guard parts.count == 2, own.contains(parts[1]) else {
      throw Self.error(
        "\(name) is not a property of \(entity.name) itself, which has \(Self.list(own))"
      )
    }
  }

  private static func list(_ names: some Sequence<String>) -> String {
    names.sorted().joined(separator: ", ")
  }

  private static func error(_ message: String) -> DataStoreError {
    DataStoreError(.invalidConfiguration, message)
  }
}

extension ManagedModel.Attribute {
  /// Whether the attribute has no value if its columns are NULL, unlike a structure.
  fileprivate var isNullWithoutValue: Bool { type != .composite || isEnumeration }
}

extension SourceLayout {
  /// Returns the layout with the new names of entities and properties.
  func renamed(by adjustment: ModelAdjustment) -> SourceLayout {
    var result = self
    result.entities = [:]
    for entity in entities.values {
      func renamed<Columns>(_ columns: [String: Columns]) -> [String: Columns] {
        Dictionary(
          firstOf: columns.map { (adjustment.name(of: $0.key, in: entity.name), $0.value) }
        )
      }
      let name = adjustment.name(of: entity.name)
      result.entities[name] = Entity(
        name: name,
        number: entity.number,
        rank: entity.rank,
        table: entity.table,
        attributes: renamed(entity.attributes),
        relationships: renamed(entity.relationships)
      )
    }
    return result
  }
}
