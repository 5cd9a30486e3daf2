import StoreProtocol

/// One column of an entity table.
package struct ColumnMap: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case value(AttributeType)

    /// The key of the row at the other end of a to-one relationship, in the named table.
    case reference(table: String, entity: String)

    /// The order of a to-many relationship's related objects that reference their owner.
    ///
    /// It is a JSON list of keys, or null if they are in the order of their keys.
    case order(entity: String)
  }

  /// The column's name.
  package let name: String

  /// The name as SQL text.
  package let sql: String

  package let content: Content

  /// The type of an attribute's column, or `nil` for a relationship's.
  package var type: AttributeType? {
    if case .value(let type) = content { type } else { nil }
  }

  /// Whether the column has the order of the related objects of a relationship.
  package var isOrder: Bool { if case .order = content { true } else { false } }

  /// Whether the column has the key of another row.
  package var isReference: Bool { if case .reference = content { true } else { false } }

  /// The column type that SQLite declares, which other tools see.
  package var declaredType: String {
    switch content {
    case .value(let type): type.columnType
    case .reference: "INTEGER"
    case .order: "TEXT"
    }
  }

  package init(name: String, sql: String, content: Content) {
    self.name = name
    self.sql = sql
    self.content = content
  }
}

extension AttributeType {
  /// The column type of an attribute; Documentation/SQLiteFormat.md explains each.
  package var columnType: String {
    switch self {
    case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: "INTEGER"
    case .float, .double, .date: "REAL"
    case .decimal, .string, .url, .uuid, .codable: "TEXT"
    case .data: "BLOB"
    }
  }

  /// Whether some values of the type compare differently in SQL and Swift.
  ///
  /// Such values mark their column in the metadata table (``InexactColumns``). Queries compare
  /// marked columns with a collation or special tests, or leave them to the evaluator.
  package var hasInexactValues: Bool {
    switch self {
    case .string, .url, .float, .double, .date: true
    default: false
    }
  }
}
