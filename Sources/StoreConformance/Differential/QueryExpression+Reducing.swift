import StoreProtocol

extension QueryExpression {
  /// The complexity of the expression for a reader.
  var weight: Int {
    if case .constant(let value) = self { return 1 + value.weight }
    return children.reduce(1) { $0 + $1.weight }
  }

  /// Smaller expressions of the same type, the smallest first.
  func reductions(_ typing: QueryTyping) -> [QueryExpression] {
    let weight = weight
    return (replacements(typing) + withReducedParts(typing)).map { ($0, $0.weight) }
      .filter { $0.1 < weight }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// Returns expressions that can replace the whole expression.
  private func replacements(_ typing: QueryTyping) -> [QueryExpression] {
    if case .constant(let value) = self { return value.simpler.map(QueryExpression.constant) }
    guard let type = typing.type(of: self) else { return [] }
    var found: [QueryExpression] = []
    if type == .bool {
      found = [.constant(.bool(true)), .constant(.bool(false))]
    } else if type.entity == nil, type.unwrapped != .tree {
      found = [.constant(SampleTypes.zero(of: type.unwrapped))]
    }
    if type != .bool { found += typing.shortPaths(to: type) }
    let bound = Set(typing.variables.keys)
    for part in nodes.dropFirst() where part.freeVariables.isSubset(of: bound) {
      if let other = typing.type(of: part), type.accepts(other) { found.append(part) }
    }
    return found
  }

  private func withReducedParts(_ typing: QueryTyping) -> [QueryExpression] {
    let parts = children
    var found: [QueryExpression] = []
    for index in parts.indices {
      if let shorter = without(index, of: parts) { found.append(shorter) }
      let inner = index == 1 && boundVariable != nil ? typing.binding(self) : typing
      for reduced in parts[index].reductions(inner) {
        var others = parts
        others[index] = reduced
        found.append(replacingChildren(others))
      }
    }
    return found
  }

  private func without(_ index: Int, of parts: [QueryExpression]) -> QueryExpression? {
    switch self {
    case .and, .or:
      var others = parts
      others.remove(at: index)
      return replacingChildren(others)
    default: return nil
    }
  }
}

extension QueryTyping {
  /// Returns some properties of a type of the objects in scope.
  fileprivate func shortPaths(to type: QueryType) -> [QueryExpression] {
    variables.sorted { $0.key < $1.key }.flatMap { variable, bound -> [QueryExpression] in
      guard !bound.isOptional, let name = bound.entity, let entity = try? Sample.entity(name)
      else { return [] }
      let fitting = entity.properties.filter { type.accepts(SampleTypes.type(of: $0)) }
      return fitting.prefix(2).map { .property(.element(variable), $0.name) }
    }
  }
}

extension StoreValue {
  /// The complexity of the value for a reader.
  var weight: Int {
    switch self {
    case .null, .bool: 0
    case .integer(let value): value == 0 ? 0 : value == 1 ? 1 : 2
    case .double(let value): value == 0 && value.sign == .plus ? 0 : value == 1 ? 1 : 2
    case .string(let text): text.unicodeScalars.reduce(0) { $0 + ($1.value < 128 ? 1 : 2) }
    case .array(let list): list.reduce(1) { $0 + 1 + $1.weight }
    case .identifiers(let list): 1 + list.count
    case .composite(let members): members.reduce(1) { $0 + 1 + $1.value.weight }
    default: 2
    }
  }

  /// Simpler values of the same type.
  var simpler: [StoreValue] {
    let candidates: [StoreValue] =
      switch self {
      case .integer: [.integer(0), .integer(1)]
      case .double: [.double(0), .double(1)]
      case .decimal: [.decimal(0), .decimal(1)]
      case .string(let text): Self.shorter(text)
      case .array(let list): Self.shorter(list).map(StoreValue.array)
      case .identifiers(let list): Self.shorter(list).map(StoreValue.identifiers)
      case .composite(let members): Self.simpler(members)
      default: []
      }
    return candidates.filter { $0.weight < weight }
  }

  private static func shorter(_ text: String) -> [StoreValue] {
    ["", "a"].map(StoreValue.string)
      + text.unicodeScalars.indices.map { index in
        var scalars = text.unicodeScalars
        scalars.remove(at: index)
        return .string(String(scalars))
      }
  }

  private static func shorter<T>(_ list: [T]) -> [[T]] {
    guard !list.isEmpty else { return [] }
    let halves = [[], Array(list.prefix(list.count / 2)), Array(list.suffix(list.count / 2))]
    return halves
      + list.indices.map { index in
        var others = list
        others.remove(at: index)
        return others
      }
  }

  // Properties stay, because the structure is invalid without them; dictionaries become simpler by
  // value.
  private static func simpler(_ members: [Member]) -> [StoreValue] {
    members.indices.flatMap { index in
      members[index].value.simpler.map { value in
        var others = members
        others[index] = Member(members[index].name, value)
        return .composite(others)
      }
    }
  }
}
