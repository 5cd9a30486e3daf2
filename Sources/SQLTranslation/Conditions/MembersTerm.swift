/// The related objects of a to-many relationship, or those that pass a filter.
package struct MembersTerm {
  /// The tables whose rows list the related objects, as written after FROM.
  package var source: String

  /// The tables joined with the rows of the related objects.
  package let rows: String

  package var conditions: [SQLFragment]

  /// The key of a related object in the rows.
  package let key: String

  /// A related object, if its own row is among the tables.
  package let element: ObjectTerm

  /// The expression that orders the related objects before their keys do: a column or a
  /// computation.
  package let position: SQLFragment

  /// Whether `position` is a column of the rows, which an index has in order.
  package let isListed: Bool

  /// The column that refers to the owner.
  package let owner: String

  /// The key of the owner, the object that has the relationship.
  package let ownerKey: SQLFragment

  /// There is no list unless all of these hold: the owner may be nil.
  package var guards: [SQLFragment]

  /// Swift would trap unless all of these hold.
  package var demands: [SQLFragment]

  /// The related objects where a list is required and nil is not allowed.
  package var demanded: MembersTerm {
    var other = self
    other.demands += guards
    other.guards = []
    return other
  }

  /// The condition that the rows must satisfy.
  package var condition: SQLFragment { .all(conditions) }

  /// Returns a query for an expression of each row in the order of the related objects, or
  /// reversed.
  ///
  /// An expression that is computed from the outer row is in an inner query: SQLite does not accept
  /// it after ORDER BY.
  package func query(
    for value: SQLFragment,
    in rows: String,
    where condition: SQLFragment,
    isReversed: Bool = false,
    _ dialect: any SQLDialect
  ) -> SQLFragment {
    let direction = isReversed ? " DESC" : ""
    if isListed {
      return "SELECT \(value) AS v FROM \(rows) WHERE \(condition) ORDER BY \(position)\(direction)"
    }
    let inner: SQLFragment = "SELECT \(value) AS v, \(position) AS p, \(key) AS k FROM \(rows)"
    let query: SQLFragment = "(\(inner) WHERE \(condition))\(dialect.queryAlias)"
    return "SELECT v FROM \(query) ORDER BY p\(direction), k\(direction)"
  }
}
