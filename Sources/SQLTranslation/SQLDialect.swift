import StoreProtocol

/// The words of a database, and how its values compare, where databases differ.
package protocol SQLDialect: Sendable {
  /// The operator that holds for equal values and for two that are null.
  var isSame: String { get }

  /// The opposite of ``isSame``.
  var isDistinct: String { get }

  /// What follows a value in an order, so that null comes first.
  var ascending: String { get }

  /// What follows a value in a reversed order, so that null comes last.
  var descending: String { get }

  /// What follows a string that may not be composed, to compare it as Swift does.
  var swiftCollation: String { get }

  /// What follows a query in the place of a table.
  var queryAlias: String { get }

  /// Whether a list of numbers finds equal ones in a column whose values compare with care.
  var findsNumbersWithCare: Bool { get }

  /// Whether arithmetic is that of Swift where the conditions of ``ConditionTranslator/Number`` hold.
  var computesNumbers: Bool { get }

  /// The functions that statements can call, or `nil` if the database cannot call the program's.
  var functions: (any SQLFunctionSet)? { get }

  /// Returns whether some values of a type can compare otherwise than in Swift.
  func needsCare(_ type: AttributeType) -> Bool

  /// Returns null as a value of a column.
  func null(_ content: ColumnMap.Content) -> String

  /// Returns a value as it is compared with those of an attribute, or `nil` if SQL does not compare the
  /// two as Swift does.
  func operand(_ value: StoreValue, _ type: AttributeType) -> Operand?

  /// Returns a test of a column whose values compare with care.
  func carefulTest(_ test: ColumnTest, _ column: SQLFragment) -> SQLFragment

  /// Returns what orders as the values of a column do, or `nil` if nothing in SQL does.
  func order(
    _ value: SQLFragment,
    _ content: ColumnMap.Content,
    _ exactness: Exactness
  ) -> SQLFragment?

  /// Returns what follows a column to test whether its value is among some, or `nil` if they are too
  /// many.
  func isAmong(_ values: [BoundValue]) -> SQLFragment?

  /// Returns the position of a key in a list of keys; a key that is not in it comes after all others.
  func memberPlace(_ list: SQLFragment, _ key: SQLFragment) -> SQLFragment
}

/// The functions of a database that runs in the program's process.
package protocol SQLFunctionSet: Sendable {
  /// Makes a function of an expression over the values of leaves.
  func make(
    _ expression: QueryExpression,
    isTest: Bool,
    _ leaves: [LeafContent],
    _ schema: StoreSchema,
    _ accumulator: AggregateAccumulator?
  ) throws -> any AnyObject & Sendable

  /// Returns the value of a column that may hold a reference to a file.
  func fileValue(
    _ column: SQLFragment,
    _ type: AttributeType,
    entity: String,
    property: String
  ) -> SQLFragment

  /// Returns the test whether a string has the words of a search, or `nil` if no index tells it.
  func search(
    _ text: QueryExpression,
    _ search: TextSearch,
    _ side: ConditionTranslator.Side,
    _ translator: ConditionTranslator
  ) throws -> SQLFragment?
}

/// The names that statements call row functions by.
package enum RowFunctionKind: String {
  /// Whether a condition holds: 1, 0, or null where Swift would trap.
  case holds = "osd_holds"

  /// Bytes in the order of a value.
  case sortKey = "osd_sortkey"

  /// Something computed from the values of all rows of a group, as JSON.
  case aggregate = "osd_aggregate"
}

/// What a translation has to know of a store's entities.
package protocol TranslationCatalog: Sendable {
  /// The entities.
  var schema: StoreSchema { get }

  /// Returns where the properties of an entity are stored.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func entity(named name: String) throws -> EntityMap

  /// Returns the scope of an entity's identifiers.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func scope(of entity: String) throws -> PersistentIdentifier.Scope
}
