import QueryEvaluation
import StoreProtocol

/// The SQL syntax and the comparisons in which databases differ.
package protocol SQLDialect: Sendable {
  /// The operator that holds for equal values and for two nulls.
  var isSame: String { get }

  /// The opposite of ``isSame``.
  var isDistinct: String { get }

  /// The suffix of a sort term that places null first.
  var ascending: String { get }

  /// The suffix of a reversed sort term that places null last.
  var descending: String { get }

  /// The suffix of a string that may not be composed, to compare it as Swift does.
  var swiftCollation: String { get }

  /// The suffix of a query that is used as a table.
  var queryAlias: String { get }

  /// Whether a list of numbers finds equal ones in a column whose values compare with care.
  var findsNumbersWithCare: Bool { get }

  /// Whether floating-point arithmetic is Swift's if the conditions of ``ConditionTranslator/Number``
  /// hold.
  var computesRealNumbers: Bool { get }

  /// The functions that statements can call, or `nil` if the database cannot call the program.
  var functions: (any SQLFunctionSet)? { get }

  /// Returns whether some values of a type can compare differently in SQL and Swift.
  func needsCare(_ type: AttributeType) -> Bool

  /// Returns the value of a column that is stored in another form, or `nil` if it is as it is.
  func value(
    of column: ColumnMap,
    _ text: SQLFragment,
    in map: EntityMap,
    _ property: String
  ) -> SQLFragment?

  /// Returns the key of a row as it is in a table, or `nil` if it is a key of another table.
  func key(_ identifier: PersistentIdentifier, in table: String) -> Int64?

  func null(_ content: ColumnMap.Content) -> String

  /// Returns a constant as it is compared with values of an attribute, or `nil` if SQL and Swift
  /// compare them differently.
  func operand(_ value: StoreValue, _ type: AttributeType) -> Operand?

  /// Returns a test of a column whose values compare with care.
  func carefulTest(_ test: ColumnTest, _ column: SQLFragment) -> SQLFragment

  /// Returns the test whether a string in composed form starts with or contains another, or `nil` if
  /// the database has none with Swift's meaning.
  func textTest(
    _ test: QueryExpression.TextTest,
    _ column: SQLFragment,
    _ part: String
  ) -> SQLFragment?

  /// Returns an integer in the form in which arithmetic does not fail if 64 bits overflow.
  func integer(_ value: SQLFragment) -> SQLFragment

  /// Returns the condition that the result of such arithmetic is an integer.
  func isInteger(_ result: SQLFragment) -> SQLFragment

  /// Returns an expression that orders as a column's values do, or `nil` if SQL has none.
  func order(
    _ value: SQLFragment,
    _ content: ColumnMap.Content,
    _ exactness: Exactness
  ) -> SQLFragment?

  /// Returns the suffix of a column that tests whether its value is among some, or `nil` if they
  /// are too many.
  func isAmong(_ values: [BoundValue]) -> SQLFragment?

  /// Returns the index of a key in a list of keys; keys that are not in it follow all others.
  func memberPosition(_ list: SQLFragment, _ key: SQLFragment) -> SQLFragment
}

extension SQLDialect {
  package func value(
    of column: ColumnMap,
    _ text: SQLFragment,
    in map: EntityMap,
    _ property: String
  ) -> SQLFragment? { nil }

  package func key(_ identifier: PersistentIdentifier, in table: String) -> Int64? {
    identifier.integerKey
  }
}

/// The functions of a database that runs in the program's process.
package protocol SQLFunctionSet: Sendable {
  /// Creates a function of an expression over the values of leaves.
  func make(
    _ expression: QueryExpression,
    isTest: Bool,
    _ leaves: [LeafContent],
    _ schema: StoreSchema,
    _ accumulator: AggregateAccumulator?
  ) throws -> any AnyObject & Sendable

  /// Returns the test whether a string contains the words of a search, or `nil` without an index.
  func search(
    _ text: QueryExpression,
    _ search: TextSearch,
    _ side: ConditionTranslator.Side,
    _ translator: ConditionTranslator
  ) throws -> SQLFragment?
}

/// The names by which statements call row functions.
package enum RowFunctionKind: String {
  /// Whether a condition holds: 1, 0, or null if Swift would trap.
  case holds = "osd_holds"

  /// Bytes that order as the values do.
  case sortKey = "osd_sortkey"

  /// An aggregate of the values of all rows of a group, as JSON.
  case aggregate = "osd_aggregate"
}

/// The parts of a store's entities that a translation needs.
package protocol TranslationCatalog: Sendable {
  /// The entities.
  var schema: StoreSchema { get }

  /// Returns the storage of an entity's properties.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func entity(named name: String) throws -> EntityMap

  /// Returns the scope of an entity's identifiers.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func scope(of entity: String) throws -> PersistentIdentifier.Scope
}
