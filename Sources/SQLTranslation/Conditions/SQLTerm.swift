/// A value in SQL: a column of a row in scope or behind references, or something computed.
package struct SQLTerm {
  /// A column that the value comes from, with its table.
  package struct Source: Hashable {
    package let column: ColumnMap
    package let table: TableMap

    package static func == (lhs: Source, rhs: Source) -> Bool {
      lhs.column == rhs.column && lhs.table === rhs.table
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(column) }
  }

  /// One reference on the way to a column.
  package struct Hop {
    /// The reference's column, qualified by the row in scope where it is the first.
    package let column: String

    /// The table that it leads to.
    package let table: TableMap
  }

  /// The text: what it gives counts only where all guards hold.
  package var text: SQLFragment

  /// What kind of value it is.
  package var content: ColumnMap.Content

  /// The columns that the value may come from, whose marks decide how it compares.
  package var sources: [Source] = []

  /// Whether the text may be null.
  package var isNullable = true

  /// The value is nil unless all of these hold.
  package var guards: [SQLFragment] = []

  /// Swift would trap unless all of these hold: the row is no match then.
  package var demands: [SQLFragment] = []

  /// What is null where the text is, where the text has to read a file.
  package var standIn: SQLFragment?

  /// The references that lead to the column, where a condition can be asked of the other table.
  package var path: [Hop] = []

  /// The value with its guards, null where one does not hold.
  package var value: SQLFragment {
    guards.isEmpty ? text : "CASE WHEN \(.all(guards)) THEN \(text) END"
  }

  /// Whether the value may be nil.
  package var canBeNull: Bool { isNullable || !guards.isEmpty }

  /// What is null where the value is, at the least cost.
  package var presence: SQLFragment {
    var term = self
    term.text = standIn ?? text
    return term.value
  }

  /// The condition that the value is there.
  package var isThere: SQLFragment {
    .all(guards + (isNullable ? ["\(standIn ?? text) IS NOT NULL"] : []))
  }
}

/// An object in SQL: a row of a table in scope, or the key of one.
package struct ObjectTerm {
  /// What is known of the row's entity.
  package let map: EntityMap

  /// The row's key, null where there is no object.
  package var key: SQLFragment

  /// The name under which the row's columns are at hand, nil where only its key is.
  package var alias: String?

  /// Whether the key may be null.
  package var isNullable = false

  /// There is no object unless all of these hold.
  package var guards: [SQLFragment] = []

  /// Swift would trap unless all of these hold.
  package var demands: [SQLFragment] = []

  /// The references that lead here from a row in scope, nil where it was found in another way.
  package var path: [SQLTerm.Hop]? = []

  /// A row in scope.
  package init(row map: EntityMap, alias: String) {
    self.map = map
    self.alias = alias
    key = SQLFragment(alias + "." + map.table.key)
  }

  /// A row that a value leads to.
  package init(_ map: EntityMap, key term: SQLTerm) {
    self.map = map
    key = term.text
    isNullable = term.isNullable
    guards = term.guards
    demands = term.demands
    path = nil
  }

  /// The object as a value.
  package var term: SQLTerm {
    SQLTerm(
      text: key,
      content: .reference(table: map.table.name, entity: map.entity.name),
      isNullable: isNullable,
      guards: guards,
      demands: demands
    )
  }

  /// Whether there may be no object.
  package var canBeNull: Bool { isNullable || !guards.isEmpty }
}
