import Foundation
import StoreProtocol

extension PersistentModel {
  /// Returns a predicate on a property that is given by its name, with a value as a person types
  /// it.
  ///
  /// A name may be a path of to-one relationships, such as `author.name`, with at most 32 names.
  /// Numbers use a decimal point. Dates are in ISO 8601 (`2026-01-31` or `2026-01-31T10:00:00Z`).
  /// Booleans are `true` or `false`. An enumeration is given by its raw value. Without a string,
  /// the predicate tests whether there is a value.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for an unknown property,
  ///   ``DataStoreError/invalidValue`` for a string that is not a value of the property, and
  ///   `SwiftDataError.unsupportedPredicate` for a property that does not support the comparison.
  public static func `where`(
    _ property: String,
    _ comparison: NamedComparison,
    _ text: String?
  ) throws -> Predicate<Self> {
    let property = try NamedProperty(property, of: Self.self)
    return PropertyTest(property, try comparison.form(text, for: property)).predicate
  }

  /// Returns a predicate that tests whether a property given by its name is one of several values.
  ///
  /// - Throws: The errors of the function for one value.
  public static func `where`(
    _ property: String,
    isIn texts: some Sequence<String>
  ) throws -> Predicate<Self> {
    let property = try NamedProperty(property, of: Self.self)
    return PropertyTest(property, .isIn(.array(try texts.map(property.value)))).predicate
  }
}

extension QueryExpression {
  /// Creates a condition on a property that is given by its name, for tools that have no models.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for an unknown property,
  ///   ``DataStoreError/invalidValue`` for a string that is not a value of the property, and
  ///   `SwiftDataError.unsupportedPredicate` for a property that does not support the comparison.
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
