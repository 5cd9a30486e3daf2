extension StoreValue: CustomStringConvertible {
  /// The kind and the value, such as `string("a")`.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): "bool(\(value))"
    case .integer(let value): "integer(\(value))"
    case .unsigned(let value): "unsigned(\(value))"
    case .double(let value): "double(\(value))"
    case .decimal(let value): "decimal(\(value))"
    case .string(let value): "string(\(String(reflecting: value)))"
    // Foundation stops the program when it describes such a date.
    case .date(let value) where value.timeIntervalSinceReferenceDate.isNaN: "date(nan)"
    case .date(let value): "date(\(value))"
    case .data(let value): "data(\(value))"
    case .uuid(let value): "uuid(\(value))"
    case .identifier(let value): "identifier(\(value))"
    case .identifiers(let values): "identifiers(\(values))"
    case .array(let values): "array(\(values))"
    case .composite(let members): "composite(\(members))"
    }
  }
}
