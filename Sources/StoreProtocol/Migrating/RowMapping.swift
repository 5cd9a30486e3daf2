/// The sources of an entity's rows and of each of their values.
package struct RowMapping: Sendable {
  package enum Source: Hashable, Sendable {
    /// The older property at an index, with the same stored form.
    case same(Int)
    /// The older attribute at an index, converted to the newer type if it fits.
    case converted(Int, to: AttributeType)
    /// The object of the older to-one relationship at an index becomes the only element.
    case oneToMany(Int)
    /// The older to-many relationship at an index, whose related objects referred to their owner.
    case listed(Int)
    /// The list of objects at an index becomes the order of the objects that refer to the row.
    case ordered(Int)
    /// The rows that referred to this row by relationships of which the property is the new
    /// inverse.
    case owners([Owner])
    /// No source: the value is the declaration's default value, or null if there is none.
    case missing
  }

  /// An older relationship that gains an inverse.
  package struct Owner: Hashable, Sendable {
    /// The entity that has the relationship.
    package let entity: String
    /// The index of the relationship among the older properties.
    package let position: Int
  }

  /// The entity before the migration.
  package let old: StoreEntity
  /// The entity after the migration.
  package let new: StoreEntity
  /// The source of each value, in the order of the newer properties.
  package let sources: [Source]
  /// The value that replaces an absent one, in the same order; null if it may be absent, or if
  /// there is no replacement.
  package let fallbacks: [StoreValue]
  /// The expressions that replace an absent value, each row's anew, in the same order.
  private let initialValues: [InitialValue?]

  /// Determines the sources.
  ///
  /// - Parameters:
  ///   - difference: The difference between both schemas.
  ///   - fillsMissing: Whether required attributes without a default value get an empty one,
  ///     because the code of a stage sets their values afterward.
  /// - Returns: One mapping for each entity in both schemas.
  package static func mappings(
    of difference: SchemaDifference,
    fillsMissing: Bool = false
  ) -> [RowMapping] {
    difference.new.entities.compactMap {
      RowMapping(of: $0.name, difference, fillsMissing: fillsMissing)
    }
  }

  /// Determines the sources of one entity, or returns `nil` if one of the schemas lacks it.
  package init?(of name: String, _ difference: SchemaDifference, fillsMissing: Bool = false) {
    guard let old = difference.old.entity(named: name), let new = difference.new.entity(named: name)
    else { return nil }
    self.old = old
    self.new = new
    let match = PropertyMatch(old: old, new: new)
    sources = new.properties.indices.map { index in
      Self.source(match.sources[index], of: old, new.properties[index], difference)
    }
    fallbacks = new.properties.map { property in
      guard let type = property.attributeType else { return .null }
      if let value = property.defaultValue, !value.isNull { return value }
      return fillsMissing && !property.isOptional ? type.emptyValue ?? .null : .null
    }
    initialValues = zip(new.properties, fallbacks).map { $1.isNull ? nil : $0.makeInitialValue() }
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

  /// Returns the value that replaces a missing or absent one; null if it may be absent.
  ///
  /// A new property gets its default value even if it may be absent. A value that was absent
  /// remains absent, unless the property is now required.
  package func fallback(at index: Int) -> StoreValue {
    switch sources[index] {
    case .missing: fallbacks[index]
    default: new.properties[index].isOptional ? .null : fallbacks[index]
    }
  }

  /// The expression that returns the fallback of each row, or `nil` if all rows get the same one.
  package func initialValue(at index: Int) -> InitialValue? {
    fallback(at: index).isNull ? nil : initialValues[index]
  }

  /// Returns whether a row may be rejected because a required value is absent.
  ///
  /// - Parameters:
  ///   - index: The index of the newer property.
  ///   - removingRows: Whether rows are removed with their entities, so that a reference to one
  ///     becomes absent.
  /// - Returns: `true` if the property is required and may be absent.
  package func mustHaveValue(at index: Int, removingRows: Bool = false) -> Bool {
    let property = new.properties[index]
    if removingRows, property.isToOne, !property.isOptional { return true }
    guard !property.isOptional, !property.isToMany else { return false }
    guard fallback(at: index).isNull else { return false }
    switch sources[index] {
    case .same(let position), .converted(let position, _):
      return old.properties[position].isOptional
    default: return true
    }
  }
}

extension RowMapping.Owner {
  /// Returns the older relationships that gain a new property as their inverse.
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
