/// A value of the fetched row as SQL text.
struct SQLTerm {
  /// A column that the value comes from, with its table.
  struct Source {
    let column: ColumnMap
    let table: TableMap
  }

  /// The text, with the values that its parameters take.
  let text: String
  let values: [SQLValue]

  /// What kind of value it is.
  let content: ColumnMap.Content

  /// Where the value comes from, nil for one that is counted.
  let source: Source?

  /// The to-one relationships that lead to the source, each with the table that it stands in.
  var path: [Source] = []

  init(
    _ text: String,
    _ values: [SQLValue] = [],
    content: ColumnMap.Content,
    source: Source?,
    path: [Source] = []
  ) {
    self.text = text
    self.values = values
    self.content = content
    self.source = source
    self.path = path
  }

  /// The term as a piece of a condition.
  var fragment: SQLFragment { SQLFragment(text, values) }
}
