/// A value in SQL: a column of a row in scope or behind references, or a computed value.
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

  /// One reference on the path to a column.
  package struct Hop {
    /// The reference's column; the first of a path is qualified by the row in scope.
    package let column: String

    /// The table that it references.
    package let table: TableMap
  }

  /// The SQL of the value, which is valid only if all guards hold.
  package var text: SQLFragment

  package var content: ColumnMap.Content

  /// The columns that the value may come from, whose marks decide how it compares.
  package var sources: [Source] = []

  /// Whether the text may be null.
  package var isNullable = true

  /// The value is nil unless all of these hold.
  package var guards: [SQLFragment] = []

  /// Swift would trap unless all of these hold: the row is no match then.
  package var demands: [SQLFragment] = []

  /// An expression that is null exactly if the text is, for a text that has to read a file.
  package var standIn: SQLFragment?

  /// The references to the column, if a condition can be applied to the other table.
  package var path: [Hop] = []

  /// The value with its guards, or null if one of them does not hold.
  package var value: SQLFragment {
    guards.isEmpty ? text : "CASE WHEN \(.all(guards)) THEN \(text) END"
  }

  /// Whether the value may be nil; that of a Codable type may be one that is encoded as nil.
  package var canBeNull: Bool {
    isNullable || !guards.isEmpty || content == .value(.codable)
  }

  /// The cheapest expression that is null exactly if the value is.
  package var presence: SQLFragment {
    var term = self
    term.text = standIn ?? text
    return term.value
  }

  /// The condition that the value is not nil.
  package var isThere: SQLFragment {
    .all(guards + (isNullable ? ["\(standIn ?? text) IS NOT NULL"] : []))
  }
}

/// An object in SQL: a row of a table in scope, or the key of one.
package struct ObjectTerm {
  /// The map of the row's entity.
  package let map: EntityMap

  /// The row's key, or null if there is no object.
  package var key: SQLFragment

  /// The alias that qualifies the row's columns, or `nil` if only its key is available.
  package var alias: String?

  /// Whether the key may be null.
  package var isNullable = false

  /// There is no object unless all of these hold.
  package var guards: [SQLFragment] = []

  /// Swift would trap unless all of these hold.
  package var demands: [SQLFragment] = []

  /// The references to the object from a row in scope, or `nil` if it was found in another way.
  package var path: [SQLTerm.Hop]? = []

  /// Creates the term of a row in scope.
  package init(row map: EntityMap, alias: String) {
    self.map = map
    self.alias = alias
    key = SQLFragment(alias + "." + map.table.key)
  }

  /// Creates the term of a row that a value refers to.
  package init(_ map: EntityMap, key term: SQLTerm) {
    self.map = map
    key = term.text
    isNullable = term.isNullable
    guards = term.guards
    demands = term.demands
    path = nil
  }

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
