import StoreProtocol

/// One column of an entity table.
struct ColumnMap: Hashable, Sendable {
  /// What a column holds.
  enum Content: Hashable, Sendable {
    /// An attribute.
    case value(AttributeType)

    /// The key of the row at the other end of a to-one relationship, in the named table.
    case reference(table: String, entity: String)

    /// The order of the members of a to-many relationship whose members say where they belong, as
    /// a JSON list of keys; null where they come in the order of their keys.
    case order(entity: String)
  }

  /// The column's name.
  let name: String

  /// The name as SQL text.
  let sql: String

  /// What the column holds.
  let content: Content

  /// SQLite's type of the values that other tools will see.
  var declaredType: String {
    switch content {
    case .value(let type): type.columnType
    case .reference: "INTEGER"
    case .order: "TEXT"
    }
  }
}

extension AttributeType {
  /// The column type of an attribute; Documentation/SQLiteFormat.md explains each.
  var columnType: String {
    switch self {
    case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: "INTEGER"
    case .float, .double, .date: "REAL"
    case .decimal, .string, .url, .uuid, .codable: "TEXT"
    case .data: "BLOB"
    }
  }

  /// Whether some values of the type compare in SQL otherwise than in Swift.
  ///
  /// Such values mark their column in the metadata table, and queries leave marked columns to the
  /// evaluator (``InexactColumns``).
  var hasInexactValues: Bool {
    switch self {
    case .string, .url, .float, .double, .date: true
    default: false
    }
  }
}
