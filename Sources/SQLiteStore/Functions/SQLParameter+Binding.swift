import SQLTranslation

extension SQLValue {
  /// The value as one of a fragment.
  var bound: BoundValue {
    switch self {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let text): .text(text)
    case .blob(let data): .blob(data)
    }
  }
}

extension SQLFragment.StringInterpolation {
  @_disfavoredOverload
  mutating func appendInterpolation(bind value: SQLValue) { appendInterpolation(bind: value.bound) }
}

extension Statement {
  /// Binds the parameters of a fragment, starting with the first.
  func bind(_ parameters: [SQLParameter]) throws(SQLiteError) {
    for (index, parameter) in parameters.enumerated() {
      switch parameter {
      case .value(let value): try bind(value, at: index + 1)
      case .function(let callback):
        // Fragments of this dialect have no others.
        guard let function = callback.function as? RowFunction else { continue }
        try bind(function, at: index + 1)
      }
    }
  }

  private func bind(_ value: BoundValue, at index: Int) throws(SQLiteError) {
    switch value {
    case .integer(let number): try bind(number, at: index)
    case .real(let number): try bind(number, at: index)
    case .text(let text): try bind(text, at: index)
    case .blob(let data): try bind(data, at: index)
    // Operands of this dialect have no others.
    case .null, .bool, .decimal, .uuid, .list: try bindNull(at: index)
    }
  }
}
