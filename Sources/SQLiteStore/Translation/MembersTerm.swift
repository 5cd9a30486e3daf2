/// The members of a to-many relationship, or those of them that a filter leaves.
struct MembersTerm {
  /// The tables whose rows say who the members are, as they stand behind FROM.
  var source: String

  /// The same with the members' own rows.
  let rows: String

  /// What those rows must satisfy.
  var conditions: [SQLFragment]

  /// The key of a member in those rows.
  let key: String

  /// A member, where its own row is among the tables.
  let element: ObjectTerm

  /// What orders the members before their keys do: a column of the rows, or something computed.
  let place: SQLFragment

  /// Whether the place is a column of the rows, which an index has in order.
  let isListed: Bool

  /// Where the rows say whose member it is.
  let owner: String

  /// The key of the object that has the members.
  let ownerKey: SQLFragment

  /// There is no list unless all of these hold: the object that has the members may be nil.
  var guards: [SQLFragment]

  /// Swift would trap unless all of these hold.
  var demands: [SQLFragment]

  /// The same members where a list is wanted, of which nil is none.
  var demanded: MembersTerm {
    var other = self
    other.demands += guards
    other.guards = []
    return other
  }

  /// The condition that the rows must satisfy.
  var condition: SQLFragment { .all(conditions) }

  /// A query for something of each row in the order of the members, or in the opposite order.
  ///
  /// What is computed from the outer row stands in a query of its own: SQLite does not take it
  /// behind ORDER BY.
  func query(
    for value: SQLFragment,
    in rows: String,
    where condition: SQLFragment,
    isReversed: Bool = false
  ) -> SQLFragment {
    let direction = isReversed ? " DESC" : ""
    if isListed {
      return "SELECT \(value) AS v FROM \(rows) WHERE \(condition) ORDER BY \(place)\(direction)"
    }
    let inner: SQLFragment = "SELECT \(value) AS v, \(place) AS p, \(key) AS k FROM \(rows)"
    return "SELECT v FROM (\(inner) WHERE \(condition)) ORDER BY p\(direction), k\(direction)"
  }
}
