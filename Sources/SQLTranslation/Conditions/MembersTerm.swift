/// The members of a to-many relationship, or those of them that a filter leaves.
package struct MembersTerm {
  /// The tables whose rows say who the members are, as they stand behind FROM.
  package var source: String

  /// The same with the members' own rows.
  package let rows: String

  /// What those rows must satisfy.
  package var conditions: [SQLFragment]

  /// The key of a member in those rows.
  package let key: String

  /// A member, where its own row is among the tables.
  package let element: ObjectTerm

  /// What orders the members before their keys do: a column of the rows, or something computed.
  package let place: SQLFragment

  /// Whether the place is a column of the rows, which an index has in order.
  package let isListed: Bool

  /// Where the rows say whose member it is.
  package let owner: String

  /// The key of the object that has the members.
  package let ownerKey: SQLFragment

  /// There is no list unless all of these hold: the object that has the members may be nil.
  package var guards: [SQLFragment]

  /// Swift would trap unless all of these hold.
  package var demands: [SQLFragment]

  /// The same members where a list is wanted, of which nil is none.
  package var demanded: MembersTerm {
    var other = self
    other.demands += guards
    other.guards = []
    return other
  }

  /// The condition that the rows must satisfy.
  package var condition: SQLFragment { .all(conditions) }

  /// A query for something of each row in the order of the members, or in the opposite order.
  ///
  /// What is computed from the outer row stands in a query of its own: SQLite does not take it
  /// behind ORDER BY.
  package func query(
    for value: SQLFragment,
    in rows: String,
    where condition: SQLFragment,
    isReversed: Bool = false,
    _ dialect: any SQLDialect
  ) -> SQLFragment {
    let direction = isReversed ? " DESC" : ""
    if isListed {
      return "SELECT \(value) AS v FROM \(rows) WHERE \(condition) ORDER BY \(place)\(direction)"
    }
    let inner: SQLFragment = "SELECT \(value) AS v, \(place) AS p, \(key) AS k FROM \(rows)"
    let query: SQLFragment = "(\(inner) WHERE \(condition))\(dialect.queryAlias)"
    return "SELECT v FROM \(query) ORDER BY p\(direction), k\(direction)"
  }
}
