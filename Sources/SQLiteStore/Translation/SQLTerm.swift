/// A value in SQL: a column of a row in scope or behind references, or something computed.
struct SQLTerm {
  /// A column that the value comes from, with its table.
  struct Source: Hashable {
    let column: ColumnMap
    let table: TableMap

    static func == (lhs: Source, rhs: Source) -> Bool {
      lhs.column == rhs.column && lhs.table === rhs.table
    }

    func hash(into hasher: inout Hasher) { hasher.combine(column) }
  }

  /// One reference on the way to a column.
  struct Hop {
    /// The reference's column, qualified by the row in scope where it is the first.
    let column: String

    /// The table that it leads to.
    let table: TableMap
  }

  /// The text: what it gives counts only where all guards hold.
  var text: SQLFragment

  /// What kind of value it is.
  var content: ColumnMap.Content

  /// The columns that the value may come from, whose marks decide how it compares.
  var sources: [Source] = []

  /// Whether the text may be null.
  var isNullable = true

  /// The value is nil unless all of these hold.
  var guards: [SQLFragment] = []

  /// Swift would trap unless all of these hold: the row is no match then.
  var demands: [SQLFragment] = []

  /// What is null where the text is, where the text has to read a file.
  var standIn: SQLFragment?

  /// The references that lead to the column, where a condition can be asked of the other table.
  var path: [Hop] = []

  /// The value with its guards, null where one does not hold.
  var value: SQLFragment {
    guards.isEmpty ? text : "CASE WHEN \(.all(guards)) THEN \(text) END"
  }

  /// Whether the value may be nil.
  var canBeNull: Bool { isNullable || !guards.isEmpty }

  /// What is null where the value is, at the least cost.
  var presence: SQLFragment {
    var term = self
    term.text = standIn ?? text
    return term.value
  }

  /// The condition that the value is there.
  var isThere: SQLFragment {
    .all(guards + (isNullable ? ["\(standIn ?? text) IS NOT NULL"] : []))
  }
}

/// An object in SQL: a row of a table in scope, or the key of one.
struct ObjectTerm {
  /// What is known of the row's entity.
  let map: EntityMap

  /// The row's key, null where there is no object.
  var key: SQLFragment

  /// The name under which the row's columns are at hand, nil where only its key is.
  var alias: String?

  /// Whether the key may be null.
  var isNullable = false

  /// There is no object unless all of these hold.
  var guards: [SQLFragment] = []

  /// Swift would trap unless all of these hold.
  var demands: [SQLFragment] = []

  /// The references that lead here from a row in scope, nil where it was found in another way.
  var path: [SQLTerm.Hop]? = []

  /// A row in scope.
  init(row map: EntityMap, alias: String) {
    self.map = map
    self.alias = alias
    key = SQLFragment(alias + "." + map.table.key)
  }

  /// A row that a value leads to.
  init(_ map: EntityMap, key term: SQLTerm) {
    self.map = map
    key = term.text
    isNullable = term.isNullable
    guards = term.guards
    demands = term.demands
    path = nil
  }

  /// The object as a value.
  var term: SQLTerm {
    SQLTerm(
      text: key,
      content: .reference(table: map.table.name, entity: map.entity.name),
      isNullable: isNullable,
      guards: guards,
      demands: demands
    )
  }

  /// Whether there may be no object.
  var canBeNull: Bool { isNullable || !guards.isEmpty }
}
