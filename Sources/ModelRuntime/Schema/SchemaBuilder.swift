import Foundation
import StoreProtocol

/// Creates the plain form of a schema from model types.
struct SchemaBuilder {
  /// The layouts of all models, by entity name.
  private(set) var layouts: [String: ModelLayout] = [:]
  /// The problems with the models.
  private(set) var problems: [SwiftDataError] = []

  /// Creates a builder for types, with their superclasses and the types that they refer to.
  init(_ types: [any PersistentModel.Type]) {
    // Listed types come first, so that the error for a second type with the same name says what
    // refers to it.
    var found = types.map { (layout: ModelLayout.of($0), origin: Origin?.none) }
    var next = 0
    while next < found.count {
      let (layout, origin) = found[next]
      next += 1
      guard add(layout, from: origin) else { continue }
      if let above = layout.superlayout { found.append((above, Origin(layout: layout))) }
      for property in layout.properties {
        guard let shape = property.shape else { continue }
        let origin = Origin(layout: layout, property: property.name)
        found.append((ModelLayout.of(shape.destination), origin))
      }
    }
  }

  /// The model that refers to another, or inherits from it, and the property that does.
  private struct Origin {
    let layout: ModelLayout
    var property: String?

    var description: String {
      "\(String(reflecting: layout.type))\(property.map { ".\($0)" } ?? "")"
    }
  }

  /// Adds a layout; returns `false` if there already is one with its name.
  private mutating func add(_ layout: ModelLayout, from origin: Origin?) -> Bool {
    guard let existing = layouts[layout.entityName] else {
      layouts[layout.entityName] = layout
      return true
    }
    if existing === layout { return false }
    let reached = origin.map { " (reached through \($0.description))" } ?? ""
    let advice =
      origin == nil
      ? "model names must be unique in a schema"
      : "model names must be unique in a schema: declare in each version all models that refer to "
        + "each other"
    problems.append(
      .loadIssueModelContainer.with(
        "two model types have this name: \(String(reflecting: existing.type)) and "
          + "\(String(reflecting: layout.type))\(reached); \(advice)",
        entity: layout.entityName
      )
    )
    return false
  }

  /// Returns the plain entities, ordered by name.
  mutating func storeEntities() -> [StoreEntity] {
    let sorted = layouts.values.sorted { $0.entityName < $1.entityName }
    // First, because a wrong count may cause other problems.
    for layout in sorted { refuseMiscount(of: layout) }
    return sorted.map { entity(of: $0) }
  }

  private mutating func entity(of layout: ModelLayout) -> StoreEntity {
    refuseTransformers(of: layout)
    refuseCharacterSets(of: layout)
    let ends = RelationshipEnds.of(layout)
    for (name, candidates) in ends.ambiguous.sorted(by: { $0.key < $1.key }) {
      problems.append(
        .loadIssueModelContainer.with(
          "the inverse is ambiguous (\(Set(candidates).sorted().joined(separator: ", "))); "
            + "declare @Relationship(inverse:) on one side, or inverse: nil if there is none",
          entity: layout.entityName,
          property: name
        )
      )
    }
    problems += InverseCheck.problems(of: layout) + ConstraintCheck.problems(of: layout)
    return StoreEntity(
      name: layout.entityName,
      superentity: layout.superlayout?.entityName,
      root: root(of: layout).entityName,
      properties: layout.properties.indices.map { property($0, of: layout, ends: ends) },
      uniquenessConstraints: constraints(of: layout),
      indices: lists(of: layout, unique: false)
    )
  }

  private mutating func refuseTransformers(of layout: ModelLayout) {
    for property in layout.properties where property.declaringEntity == layout.entityName {
      guard let attribute = property.metadata.metadata as? Schema.Attribute,
        attribute.isTransformable
      else { continue }
      problems.append(
        .loadIssueModelContainer.with(
          "value transformers are not supported; remove the option .transformable and make the "
            + "property's type Codable",
          entity: layout.entityName,
          property: property.name
        )
      )
    }
  }

  /// Refuses values of a type that Foundation cannot decode outside of Apple's systems.
  ///
  /// Releasing a set that was made of a bitmap ends the program there.
  private mutating func refuseCharacterSets(of layout: ModelLayout) {
    for property in layout.properties
    where property.shape == nil && property.declaringEntity == layout.entityName {
      let type = type(of: property.keyPath).valueType
      guard ((type as? any OptionalType.Type)?.wrapped ?? type) == CharacterSet.self else {
        continue
      }
      problems.append(
        .loadIssueModelContainer.with(
          "values of CharacterSet cannot be stored: Foundation cannot decode them on every system; "
            + "store a String with the characters, and make the set a computed property",
          entity: layout.entityName,
          property: property.name
        )
      )
    }
  }

  /// Refuses a subclass of a model without the macro, and an ephemeral attribute that the macro took
  /// for a stored property, or the reverse.
  private mutating func refuseMiscount(of layout: ModelLayout) {
    let (inherited, above) = (layout.superlayout?.storedCount ?? 0, layout.superlayout?.type)
    guard layout.storedCount - inherited != layout.type._$count - (above?._$count ?? 0) else {
      return
    }
    let own = layout.properties.first { $0.declaringEntity == layout.entityName }
    // A class without the macro inherits the metadata of the class above.
    guard let own, type(of: own.keyPath).rootType == layout.type else {
      problems.append(
        .loadIssueModelContainer.with(
          "the class inherits from a model, but is no model itself; make it a @Model class",
          entity: layout.entityName
        )
      )
      return
    }
    problems.append(
      .loadIssueModelContainer.with(
        "the option .ephemeral must be written in the @Attribute of the property itself, which "
          + "cannot be a relationship; write it there, or mark the relationship @Transient",
        entity: layout.entityName,
        property: layout.properties.first(where: \.hasEphemeralOption)?.name
      )
    )
  }

  private func root(of layout: ModelLayout) -> ModelLayout {
    layout.superlayout.map(root(of:)) ?? layout
  }

  private func property(
    _ index: Int,
    of layout: ModelLayout,
    ends: RelationshipEnds
  ) -> StoreProperty {
    let property = layout.properties[index]
    guard let shape = property.shape else { return attribute(property) }
    let declared = property.metadata.metadata as? Schema.Relationship
    let other = ModelLayout.of(shape.destination)
    let inverse = inverse(of: index, in: layout, ends)
    let relationship = StoreRelationship(
      destination: other.entityName,
      inverse: inverse?.name,
      inverseIsToOne: inverse?.shape?.isToMany == false,
      deleteRule: (declared?.deleteRule ?? .nullify).rawValue
    )
    return StoreProperty(
      name: property.name,
      originalName: declared.flatMap { $0.originalName.isEmpty ? nil : $0.originalName },
      kind: shape.isToMany ? .toMany(relationship) : .toOne(relationship),
      isOptional: shape.isOptional,
      isUnique: declared?.isUnique ?? false,
      options: Self.modifier(declared?.hashModifier)
    )
  }

  /// Returns the inverse of a relationship.
  ///
  /// A version may declare only the models that it changes. The others refer to later models, in
  /// place of which the version has its own of the same name.
  private func inverse(
    of index: Int,
    in layout: ModelLayout,
    _ ends: RelationshipEnds
  ) -> ModelLayout.Property? {
    guard let shape = layout.properties[index].shape else { return nil }
    let other = ModelLayout.of(shape.destination)
    guard let listed = layouts[other.entityName], listed !== other else {
      return ends.inverses[index].map { other.properties[$0] }
    }
    let back = RelationshipEnds.of(listed).inverses
    return listed.properties.indices.first { candidate in
      guard let shape = listed.properties[candidate].shape else { return false }
      return back[candidate] == index
        && ModelLayout.of(shape.destination).entityName == layout.entityName
    }.map { listed.properties[$0] }
  }

  private func attribute(_ property: ModelLayout.Property) -> StoreProperty {
    let declared = property.metadata.metadata as? Schema.Attribute
    let type = type(of: property.keyPath).valueType
    return StoreProperty(
      name: property.name,
      originalName: declared.flatMap { $0.originalName.isEmpty ? nil : $0.originalName },
      type: Self.attributeType(type),
      isOptional: type is any OptionalType.Type,
      isUnique: declared?.isUnique ?? false,
      options: (declared?.options.map(\.name).filter { $0 != "unique" } ?? [])
        + Self.modifier(declared?.hashModifier),
      initialValue: property.metadata.makeDefault.map { make in
        InitialValue { StoreValue(any: make()) }
      }
    )
  }

  /// Returns the hash modifier as stores see it: as an option, whose change results in a new
  /// version.
  private static func modifier(_ modifier: String?) -> [String] {
    modifier.map { ["hashModifier(\($0))"] } ?? []
  }

  /// Returns the attribute type as stores see it; nested optionals are `codable`, which keeps their
  /// levels.
  private static func attributeType(_ type: Any.Type) -> AttributeType {
    let wrapped = (type as? any OptionalType.Type)?.wrapped
    return wrapped is any OptionalType.Type ? .codable : AttributeType(type)
  }

  private func constraints(of layout: ModelLayout) -> [[String]] {
    let single = layout.properties.filter {
      ($0.metadata.metadata as? Schema.Attribute)?.isUnique == true
        || ($0.metadata.metadata as? Schema.Relationship)?.isUnique == true
    }
    return single.map { [$0.name] } + lists(of: layout, unique: true)
  }

  private func lists(of layout: ModelLayout, unique: Bool) -> [[String]] {
    let above = layout.superlayout.map { lists(of: $0, unique: unique) } ?? []
    let own = layout.lists.filter { $0.isUnique == unique }
      .compactMap { ($0 as? any PropertyNameLists)?.propertyNames }
    return above + own.joined()
  }
}

extension StoreValue {
  /// Creates the stored form of a value, or returns `nil` if it has none.
  package init?(any value: Any) {
    if let scalar = value as? any StoreScalar {
      self = scalar.storeValue
    } else if let optional = value as? any OptionalType {
      guard let wrapped = optional.wrappedValue else {
        self = .null
        return
      }
      self.init(any: wrapped)
    } else if let raw = value as? any RawRepresentable,
      let scalar = raw.rawValue as? any StoreScalar
    {
      self = scalar.storeValue
    } else if let encodable = value as? any Encodable,
      let encoded = try? StoreValueEncoder.encode(encodable)
    {
      self = encoded
    } else {
      return nil
    }
  }
}
