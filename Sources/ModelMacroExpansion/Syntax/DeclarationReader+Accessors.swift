extension DeclarationReader {
  /// Whether the brace here opens accessors rather than a closure after an expression.
  var isAtAccessors: Bool {
    var ahead = self
    ahead.cursor.advance()
    _ = ahead.attributes()
    while Keywords.modifiers.contains(ahead.cursor.word) { ahead.cursor.advance() }
    let isObserver = Keywords.observers.contains(ahead.cursor.word)
    guard isObserver || Keywords.computedAccessors.contains(ahead.cursor.word) else { return false }
    ahead.cursor.advance()
    if ahead.cursor.at("(") { ahead.cursor.skipBrackets() }
    while ["async", "throws"].contains(ahead.cursor.word) { ahead.cursor.advance() }
    return ahead.cursor.at("{")
  }

  /// Reads the block here.
  mutating func accessors() -> Accessors {
    let start = cursor.index
    guard isAtAccessors, let observers = observers() else {
      cursor.index = start
      cursor.skipBrackets()
      return .computed
    }
    return .observers(observers)
  }

  /// Reads a block of observers, or returns `nil` if it contains anything else.
  private mutating func observers() -> [PropertyObserver]? {
    var observers: [PropertyObserver] = []
    cursor.advance()
    while !cursor.isAtEnd, !cursor.at("}") {
      _ = attributes()
      let kind = cursor.word
      guard Keywords.observers.contains(kind) else { return nil }
      cursor.advance()
      let parameter = cursor.at("(") ? cursor.bracketed() : nil
      guard cursor.at("{") else { return nil }
      let body = cursor.bracketed()
      observers.append(PropertyObserver(kind: kind, parameter: parameter, body: body))
    }
    _ = cursor.take("}")
    return observers
  }
}
