import Foundation

extension PersistentModel {
  /// A predicate on a property that is given by its name, with a value as a person types it.
  ///
  /// A name may lead through relationships to one object, as `author.name`, 32 names at the most. Numbers are written
  /// with a point, dates as in ISO 8601 (`2026-01-31` or `2026-01-31T10:00:00Z`), truth values as
  /// `true` or `false`; an enumeration is given by its raw value. Without a text the question is
  /// whether there is a value.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that there is not,
  ///   ``DataStoreError/invalidValue`` for a text that is no value of the property, and
  ///   `SwiftDataError.unsupportedPredicate` for a property that cannot be compared so.
  public static func `where`(
    _ property: String,
    _ comparison: NamedComparison,
    _ text: String?
  ) throws -> Predicate<Self> {
    let property = try NamedProperty(property, of: Self.self)
    return PropertyTest(
      .name(property),
      isOptional: property.isOptional,
      try comparison.form(text, for: property)
    )
    .predicate
  }

  /// A predicate on a property that is given by its name, which must be one of several values.
  ///
  /// - Throws: As the function for one value does.
  public static func `where`(
    _ property: String,
    isIn texts: some Sequence<String>
  ) throws -> Predicate<Self> {
    let property = try NamedProperty(property, of: Self.self)
    return PropertyTest(
      .name(property),
      isOptional: property.isOptional,
      .isIn(.array(try texts.map(property.value)))
    )
    .predicate
  }
}

extension QueryExpression {
  /// Creates a condition on a property that is given by its name, for tools that have no models.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that there is not,
  ///   ``DataStoreError/invalidValue`` for a text that is no value of the property, and
  ///   `SwiftDataError.unsupportedPredicate` for a property that cannot be compared so.
  public init(
    where property: String,
    _ comparison: NamedComparison,
    _ text: String?,
    of entity: String,
    in schema: StoreSchema
  ) throws {
    let property = try NamedProperty(property, of: entity, in: schema)
    self = try comparison.form(text, for: property)
      .expression(for: property.expression(for: .element(0)), isOptional: property.isOptional)
  }
}
