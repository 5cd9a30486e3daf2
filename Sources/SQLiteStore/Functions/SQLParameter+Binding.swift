import SQLTranslation

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
}
