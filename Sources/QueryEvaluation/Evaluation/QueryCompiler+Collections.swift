import StoreProtocol

extension QueryCompiler {
  /// Compiles a containment test; constant lists are looked up by hash.
  func contains(_ list: QueryExpression, _ element: QueryExpression) throws -> Condition {
    let isRow = element == .element(0)
    let element = try value(element)
    guard case .constant(let constant) = list, let elements = constant.elements else {
      let list = try value(list)
      return { row, frame in
        let elements = try Self.elements(list(row, frame))
        let wanted = try element(row, frame)
        return elements.contains { $0.isEqual(to: wanted) }
      }
    }
    if case .identifiers(let list) = constant {
      let rows = Set(list.map(RowIdentity.init))
      let exact = isRow ? [] : Set(list)
      return { row, frame in
        switch try element(row, frame) {
        case .identifier(let identifier): rows.contains(RowIdentity(identifier: identifier))
        case let value: value.encodedIdentifier.map(exact.contains) ?? false
        }
      }
    }
    let hashed = elements.map(HashedValue.init)
    let decimals = hashed.count(where: \.isDecimal)
    if hashed.count < 8 || (decimals > 0 && decimals < hashed.count) {
      return { row, frame in
        let wanted = try element(row, frame)
        return elements.contains { $0.isEqual(to: wanted) }
      }
    }
    let set = Set(hashed)
    return { set.contains(HashedValue(try element($0, $1))) }
  }

  /// Compiles a test whether some, or each, element satisfies a condition.
  func quantified(
    _ quantifier: QueryExpression.Quantifier,
    _ list: QueryExpression,
    _ variable: Int,
    _ test: QueryExpression
  ) throws -> Condition {
    let (list, test) = (try value(list), try condition(test))
    let sought = quantifier == .some
    return { row, frame in
      for element in try Self.elements(list(row, frame)) {
        frame.bind(variable, to: element)
        if try test(row, frame) == sought { return sought }
      }
      return !sought
    }
  }

  /// Compiles the expressions that read values of collections.
  func collection(_ expression: QueryExpression) throws -> Value {
    switch expression {
    case .filter(let list, let variable, let test):
      let (list, test) = (try value(list), try condition(test))
      return { row, frame in
        .array(
          try Self.elements(list(row, frame)).filter { element in
            frame.bind(variable, to: element)
            return try test(row, frame)
          }
        )
      }
    case .aggregate(let aggregate, let list):
      let list = try value(list)
      return { try Self.aggregate(aggregate, of: list($0, $1)) }
    case .subscripted(let list, let position):
      let (list, position) = (try value(list), try value(position))
      return { try Self.element(of: list($0, $1), at: position($0, $1)) }
    default: return { _, _ in .null }
    }
  }

  /// Returns the elements of a collection; a value that is not a collection, such as nil, has no
  /// result.
  static func elements(_ value: StoreValue) throws -> [StoreValue] {
    guard let elements = value.elements else { throw QueryTrap.noValue }
    return elements
  }

  private static func element(
    of value: StoreValue,
    at position: StoreValue
  ) throws -> StoreValue {
    if case .composite = value {
      switch position {
      case .string(let key): return value.member(key) ?? .null
      case .integer(let key): return value.member(String(key)) ?? .null
      case .unsigned(let key): return value.member(String(key)) ?? .null
      default: throw QueryTrap.noValue
      }
    }
    let elements = try elements(value)
    guard case .integer(let number) = position, let index = Int(exactly: number),
      elements.indices.contains(index)
    else { throw QueryTrap.noValue }
    return elements[index]
  }

  private static func aggregate(
    _ aggregate: QueryExpression.Aggregate,
    of value: StoreValue
  ) throws -> StoreValue {
    switch aggregate {
    case .count:
      guard let count = value.elementCount else { throw QueryTrap.noValue }
      return .integer(Int64(count))
    case .isEmpty:
      guard let isEmpty = value.hasNoElements else { throw QueryTrap.noValue }
      return .bool(isEmpty)
    case .first:
      if case .string(let text) = value { return text.first.map { .string(String($0)) } ?? .null }
      return try elements(value).first ?? .null
    case .last:
      if case .string(let text) = value { return text.last.map { .string(String($0)) } ?? .null }
      return try elements(value).last ?? .null
    case .minimum: return try elements(value).min { $0.ordering($1) == .less } ?? .null
    case .maximum: return try elements(value).max { $0.ordering($1) == .less } ?? .null
    }
  }
}

/// A row's store and key, whichever of its entities the identifier names.
private struct RowIdentity: Hashable {
  let identifier: PersistentIdentifier

  static func == (lhs: RowIdentity, rhs: RowIdentity) -> Bool {
    lhs.identifier.hasStoreAndKey(of: rhs.identifier)
  }

  func hash(into hasher: inout Hasher) { identifier.hash(into: &hasher) }
}
