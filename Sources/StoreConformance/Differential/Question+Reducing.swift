import StoreProtocol

extension DifferentialCase.Question {
  /// Queries that request less, the least first if that is cheap to determine.
  var reductions: [DifferentialCase.Question] {
    switch self {
    case .query(let query): query.reductions.map { .query($0) }
    case .selection(let selection): selection.reductions.map { .selection($0) }
    }
  }
}

extension StoreQuery {
  fileprivate var typing: QueryTyping { QueryTyping([0: .object(entity)]) }

  fileprivate var reductions: [StoreQuery] {
    var found: [StoreQuery] = []
    func add(_ change: (inout StoreQuery) -> Void) {
      var query = self
      change(&query)
      if query != self { found.append(query) }
    }
    add { $0.filter = nil }
    add { $0.sort = [] }
    add { $0.offset = 0 }
    add { $0.limit = nil }
    add { $0.includesSubentities = true }
    for index in sort.indices {
      add { $0.sort.remove(at: index) }
      add { $0.sort[index].isReversed = false }
      for reduced in sort[index].value.reductions(typing) { add { $0.sort[index].value = reduced } }
    }
    for reduced in filter?.reductions(typing) ?? [] { add { $0.filter = reduced } }
    if offset > 1 { add { $0.offset = 1 } }
    if let limit, limit > 1 { add { $0.limit = 1 } }
    return found
  }
}

extension StoreSelection {
  fileprivate var reductions: [StoreSelection] {
    var found: [StoreSelection] = []
    func add(_ change: (inout StoreSelection) -> Void) {
      var selection = self
      change(&selection)
      if selection != self { found.append(selection) }
    }
    add { $0.having = nil }
    add { $0.order = [] }
    for query in query.reductions { add { $0.query = query } }
    for index in order.indices {
      add { $0.order.remove(at: index) }
      add { $0.order[index].isReversed = false }
    }
    if having == nil, order.isEmpty, columns.count > 1 {
      for index in columns.indices { add { $0.columns.remove(at: index) } }
    }
    let typing = query.typing
    for index in columns.indices {
      for column in columns[index].reductions(typing) { add { $0.columns[index] = column } }
    }
    for index in (groups ?? []).indices {
      if !columns.contains(where: { $0.isKey(from: index) }) {
        add { $0.groups?.remove(at: index) }
      }
      for key in groups?[index].reductions(typing) ?? [] { add { $0.groups?[index] = key } }
    }
    return found
  }
}

extension StoreSelection.Column {
  fileprivate func isKey(from index: Int) -> Bool {
    if case .key(let number) = self { return number >= index }
    return false
  }

  fileprivate func reductions(_ typing: QueryTyping) -> [StoreSelection.Column] {
    switch self {
    case .key, .count: []
    case .value(let value): value.reductions(typing).map { .value($0) }
    case .aggregate(let function, let value, let type):
      value.reductions(typing).map { .aggregate(function, $0, type) }
    }
  }
}
