/// Where the rows of one entity come from, and each of their values.
package struct RowMapping: Sendable {
  /// Where a value comes from.
  package enum Source: Hashable, Sendable {
    /// The older property at a position, stored in the same way.
    case same(Int)
    /// The older attribute at a position, in the newer type where it fits.
    case converted(Int, to: AttributeType)
    /// The one object of the older relationship at a position becomes the only member.
    case oneToMany(Int)
    /// The members of the older relationship at a position said themselves where they belong.
    case listed(Int)
    /// The list of objects at a position becomes the order of those that refer to the row.
    case ordered(Int)
    /// The rows that referred to this one by relationships of which the property is the new inverse.
    case owners([Owner])
    /// Nowhere: the row has the default value of the declaration, null where there is none.
    case missing
  }

  /// An older relationship that gets an inverse.
  package struct Owner: Hashable, Sendable {
    /// The entity that has the relationship.
    package let entity: String
    /// The position of the relationship among the older properties.
    package let position: Int
  }

  /// The entity as the rows have it.
  package let old: StoreEntity
  /// The entity as they are to have it.
  package let new: StoreEntity
  /// Where each value comes from, in the order of the newer properties.
  package let sources: [Source]
  /// What a value becomes that would be absent, in the same order; null where it may be absent, or
  /// where there is nothing to give.
  package let fallbacks: [StoreValue]

  /// Works out the sources.
  ///
  /// - Parameters:
  ///   - difference: What lies between both schemas.
  ///   - fillsMissing: Whether required attributes without a default value get an empty one, since
  ///     a stage's code gives them theirs afterwards.
  /// - Returns: One mapping for each entity that is in both schemas.
  package static func mappings(
    of difference: SchemaDifference,
    fillsMissing: Bool = false
  ) -> [RowMapping] {
    difference.new.entities.compactMap { new in
      difference.old.entity(named: new.name).map { old in
        RowMapping(old, new, difference, fillsMissing: fillsMissing)
      }
    }
  }

  private init(
    _ old: StoreEntity,
    _ new: StoreEntity,
    _ difference: SchemaDifference,
    fillsMissing: Bool
  ) {
    self.old = old
    self.new = new
    let match = PropertyMatch(old: old, new: new)
    sources = new.properties.indices.map { index in
      Self.source(match.sources[index], of: old, new.properties[index], difference)
    }
    fallbacks = new.properties.map { property in
      guard !property.isEphemeral, let type = property.attributeType else { return .null }
      if let value = property.defaultValue, !value.isNull { return value }
      return fillsMissing && !property.isOptional ? type.emptyValue ?? .null : .null
    }
  }

  private static func source(
    _ index: Int?,
    of entity: StoreEntity,
    _ after: StoreProperty,
    _ difference: SchemaDifference
  ) -> Source {
    guard let index else {
      let owners = Owner.all(of: after, from: difference.old, to: difference.new)
      return owners.isEmpty ? .missing : .owners(owners)
    }
    guard !entity.properties[index].isEphemeral, !after.isEphemeral else {
      return .missing
    }
    let before = entity.properties[index]
    if let from = before.attributeType, let to = after.attributeType {
      guard let conversion = AttributeConversion(from: from, to: to) else { return .missing }
      return conversion == .same ? .same(index) : .converted(index, to: to)
    }
    guard
      let change = RelationshipChange(before, after, old: difference.old, new: difference.new),
      change.obstacle == nil
    else { return .missing }
    if before.isToOne, after.isToMany {
      return after.isDerivedToMany ? .missing : .oneToMany(index)
    }
    if before.isDerivedToMany, !after.isDerivedToMany { return .listed(index) }
    if !before.isDerivedToMany, after.isDerivedToMany { return .ordered(index) }
    return .same(index)
  }

  /// What a missing or absent value becomes, null where it may be absent.
  ///
  /// A new property takes its default value also where it may be absent; a value that was absent
  /// stays so, unless the property is required now.
  package func fallback(at index: Int) -> StoreValue {
    switch sources[index] {
    case .missing: fallbacks[index]
    default: new.properties[index].isOptional ? .null : fallbacks[index]
    }
  }

  /// Whether a row may have to be refused because a required value is absent.
  package func mustHaveValue(at index: Int) -> Bool {
    let property = new.properties[index]
    guard !property.isOptional, !property.isToMany, !property.isEphemeral else { return false }
    guard fallback(at: index).isNull else { return false }
    switch sources[index] {
    case .same(let position), .converted(let position, _):
      return old.properties[position].isOptional
    default: return true
    }
  }
}

extension RowMapping.Owner {
  /// The older relationships that get a new property as their inverse.
  static func all(
    of property: StoreProperty,
    from old: StoreSchema,
    to new: StoreSchema
  ) -> [RowMapping.Owner] {
    guard !property.isDerivedToMany, let relationship = property.relationship,
      let inverse = relationship.inverse
    else { return [] }
    return new.family(of: relationship.destination).compactMap { entity in
      guard let before = old.entity(named: entity.name), let index = entity.indexByName[inverse],
        let position = PropertyMatch(old: before, new: entity).sources[index],
        let change = RelationshipChange(
          before.properties[position],
          entity.properties[index],
          old: old,
          new: new
        ),
        change.gainsInverse, change.obstacle == nil
      else { return nil }
      return RowMapping.Owner(entity: before.name, position: position)
    }
  }
}
