import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  private static func node(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (QueryExpression) -> QueryExpression
  ) -> Saboteur {
    Saboteur(name, rule) { .understanding(change) }
  }

  private static func selection(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (inout StoreSelection) -> Void
  ) -> Saboteur {
    Saboteur(name, rule) {
      var alterations = Alterations()
      alterations.select = { selection in
        var selection = selection
        change(&selection)
        return selection
      }
      return alterations
    }
  }

  /// Those that take one kind of expression for another.
  static let nodes: [Saboteur] =
    [
      node("takes the last for the first", "RANDOM-201") {
        if case .aggregate(.first, let list) = $0 { .aggregate(.last, list) } else { $0 }
      },
      node("takes the smallest for the largest", "QUERY-030") {
        if case .aggregate(.maximum, let list) = $0 { .aggregate(.minimum, list) } else { $0 }
      },
      node("takes the first for the smallest", "QUERY-030") {
        if case .aggregate(.minimum, let list) = $0 { .aggregate(.count, list) } else { $0 }
      },
      node("takes no element for some", "QUERY-042") {
        if case .aggregate(.isEmpty, _) = $0 { .not($0) } else { $0 }
      },
      node("takes nil for the second value", "QUERY-016") {
        if case .coalesce(let first, _) = $0 { .coalesce(first, .constant(.null)) } else { $0 }
      },
      node("asks for the second value first", "QUERY-029") {
        if case .coalesce(let first, let second) = $0 { .coalesce(second, first) } else { $0 }
      },
      node("takes open ranges for closed ones", "RANDOM-301") {
        guard case .isInRange(let value, let low, let high, _) = $0 else { return $0 }
        return .isInRange(value, lower: low, upper: high, closed: true)
      },
      node("leaves the lower end out", "RANDOM-301") {
        guard case .isInRange(_, let low, _, _) = $0 else { return $0 }
        return .and([$0, .compare(.greater, $0.children[2], low)])
      },
      node("takes the other of two values", "RANDOM-201") {
        guard case .conditional(let test, let first, let second) = $0 else { return $0 }
        return .conditional(test, then: second, else: first)
      },
      node("tells no entities apart", "RANDOM-201") {
        if case .isKind = $0 { .constant(.bool(true)) } else { $0 }
      },
      node("casts to anything", "RANDOM-201") {
        if case .cast(let object, _) = $0 { object } else { $0 }
      },
      node("casts to nothing", "RANDOM-201") {
        if case .cast = $0 { .constant(.null) } else { $0 }
      },
      node("counts positions from one", "QUERY-030") {
        guard case .subscripted(let list, .constant(.integer(let index))) = $0 else { return $0 }
        return .subscripted(list, .constant(.integer(index + 1)))
      },
      node("subtracts where it should add", "QUERY-022") {
        guard case .arithmetic(.add, let left, let right, let type) = $0 else { return $0 }
        return .arithmetic(.subtract, left, right, type)
      },
      node("takes quotients for remainders", "QUERY-028") {
        guard case .arithmetic(.remainder, let left, let right, let type) = $0 else { return $0 }
        return .arithmetic(.divide, left, right, type)
      },
      node("takes the divisor without its sign", "QUERY-028") {
        guard case .arithmetic(.divide, let left, .constant(.integer(let by)), let type) = $0 else {
          return $0
        }
        return .arithmetic(.divide, left, .constant(.integer(abs(by))), type)
      },
      node("gives remainders the sign of the divisor", "QUERY-028") {
        guard case .arithmetic(.remainder, _, let by, let type) = $0 else { return $0 }
        return .arithmetic(.remainder, .arithmetic(.add, $0, by, type), by, type)
      },
      node("takes or for and", "QUERY-018") {
        if case .and(let parts) = $0 { .or(parts) } else { $0 }
      },
      node("takes and for or", "QUERY-018") {
        if case .or(let parts) = $0 { .and(parts) } else { $0 }
      },
      node("looks at the last of several conditions", "QUERY-018") {
        if case .or(let parts) = $0, let last = parts.last { last } else { $0 }
      },
      node("passes over not", "RANDOM-301") { if case .not(let part) = $0 { part } else { $0 } },
      node("looks at the beginning of texts only", "QUERY-035") {
        if case .text(.contains, let a, let b) = $0 { .text(.startsWith, a, b) } else { $0 }
      },
      node("looks everywhere for a beginning", "QUERY-035") {
        if case .text(.startsWith, let a, let b) = $0 { .text(.contains, a, b) } else { $0 }
      },
      node("takes some for each", "QUERY-043") {
        guard case .quantified(.some, let list, let variable, let test) = $0 else { return $0 }
        return .quantified(.every, list, variable: variable, test)
      },
      node("counts members that do not satisfy a condition", "RANDOM-201") {
        if case .filter(let list, _, _) = $0 { list } else { $0 }
      },
      node("takes less for greater", "QUERY-104") {
        if case .compare(.greater, let a, let b) = $0 { .compare(.less, a, b) } else { $0 }
      },
      node("takes equal for greater or equal", "QUERY-104") {
        if case .compare(.greaterOrEqual, let a, let b) = $0 { .compare(.equal, a, b) } else { $0 }
      },
      node("takes greater or equal for greater", "QUERY-104") {
        if case .compare(.greater, let a, let b) = $0 {
          .compare(.greaterOrEqual, a, b)
        } else {
          $0
        }
      },
      node("finds nothing equal to nil", "QUERY-016") {
        if case .compare(.equal, _, .constant(.null)) = $0 { .constant(.bool(false)) } else { $0 }
      },
      node("finds nil less than anything", "QUERY-016") {
        guard case .compare(.less, let left, .constant) = $0 else { return $0 }
        return .or([$0, .compare(.equal, left, .constant(.null))])
      },
      node("finds nothing in a list of a thousand", "LIMIT-009") {
        guard case .contains(.constant(.array(let list)), _) = $0 else { return $0 }
        return list.count > 1_000 ? .constant(.bool(false)) : $0
      },
      node("takes an empty list for all", "RANDOM-201") {
        if case .contains(.constant(.array([])), _) = $0 { .constant(.bool(true)) } else { $0 }
      },
      node("finds nil in no list", "QUERY-030") {
        guard case .contains(_, .constant(.null)) = $0 else { return $0 }
        return .constant(.bool(false))
      },
      node("follows no reference", "QUERY-041") {
        guard case .property(.property(.element(0), _), let name) = $0 else { return $0 }
        return .property(.element(0), name)
      },
      node("follows no second reference", "QUERY-041") {
        guard case .property(.property(.property, _), _) = $0 else { return $0 }
        return .constant(.null)
      },
      node("counts members for zero or one", "QUERY-042") {
        guard case .aggregate(.count, let list) = $0 else { return $0 }
        return .conditional(
          .aggregate(.isEmpty, list),
          then: .constant(.integer(0)),
          else: .constant(.integer(1))
        )
      },
      node("takes a row for a member of the other end", "QUERY-044") {
        if case .contains(.property(_, "members"), _) = $0 { .constant(.bool(false)) } else { $0 }
      },
      node("binds a subquery to itself", "RANDOM-201") {
        guard case .compare(let word, let left, .property(.element(0), let name)) = $0 else {
          return $0
        }
        return .compare(word, left, .property(.element(1), name))
      },
      node("asks nothing that is forced", "RANDOM-201") {
        if case .unwrap(let value) = $0 { .coalesce(value, .constant(.integer(99))) } else { $0 }
      },
      node("takes members of structures for nil", "QUERY-031") {
        if case .property(.property(_, "address"), _) = $0 { .constant(.null) } else { $0 }
      },
      node("takes conditions without a comparison for true", "RANDOM-201") {
        guard case .coalesce(.property, .constant(.bool)) = $0 else { return $0 }
        return .constant(.bool(true))
      },
      node("takes reals for integers", "QUERY-031") {
        guard case .constant(.double(let number)) = $0, number == 2 else { return $0 }
        return .constant(.string("2"))
      },
      node("takes integers for reals in comparisons", "QUERY-032") {
        guard case .compare(let word, let left, .constant(.decimal)) = $0 else { return $0 }
        return .compare(word, left, .constant(.double(9_007_199_254_740_992)))
      },
      node("stops at what is passed over", "RANDOM-201") {
        if case .or(let parts) = $0 { .or(parts.reversed()) } else { $0 }
      },
      node("takes ranges upside down", "RANDOM-201") {
        guard case .isInRange(let value, let low, let high, let closed) = $0 else { return $0 }
        return .not(.not(.isInRange(value, lower: high, upper: low, closed: closed)))
      },
      node("takes references for nil", "RANDOM-201") {
        guard case .compare(let word, let left, .constant(.identifier)) = $0 else { return $0 }
        return .compare(word, left, .constant(.null))
      },
      node("looks at one of many references", "RANDOM-201") {
        guard case .contains(.constant(.identifiers(let list)), let value) = $0 else { return $0 }
        return .contains(.constant(.identifiers(Array(list.prefix(1)))), value)
      },
      node("compares data by nothing", "QUERY-115") {
        if case .compare(.equal, _, .constant(.data)) = $0 { .constant(.bool(true)) } else { $0 }
      },
    ] + [
      Saboteur("counts what repeats once", "QUERY-030") {
        .seeing(.filters) { value in
          guard case .array(let list) = value else { return value }
          return .array(list.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
        }
      },
      Saboteur("remembers results", "RANDOM-301") {
        let known = Shared<[StoreQuery: [DefaultSnapshot]]>([:])
        return .giving { rows, _, query in
          guard query.filter != nil, query.identifiers == nil else { return rows }
          return known.withLock { known in
            known[query] = known[query] ?? rows
            return known[query] ?? rows
          }
        }
      },
      Saboteur("gives nothing for a property that it does not know", "QUERY-025") {
        .fetching { store, query in
          do {
            _ = try store.fetch(query)
            return nil
          } catch let error as DataStoreError where error != .schemaMismatch {
            return []
          }
        }
      },
      Saboteur("counts differently from what it gives", "QUERY-026") {
        var alterations = Alterations()
        alterations.count = { store, query in
          try query.filter == nil ? nil : store.count(query) + 1
        }
        return alterations
      },
      Saboteur("counts nothing of an entity that it does not know", "QUERY-004") {
        var alterations = Alterations()
        alterations.count = { store, query in
          store.schema.storeSchema.entity(named: query.entity) == nil ? 0 : nil
        }
        return alterations
      },
      Saboteur("reads nothing of an entity that it does not know", "QUERY-004") {
        var alterations = Alterations()
        alterations.read = { store, query in
          store.schema.storeSchema.entity(named: query.entity) == nil ? [] : nil
        }
        return alterations
      },
    ]

  /// Those that compute selections wrongly.
  static let selections: [Saboteur] = [
    selection("takes minimum for maximum", "SELECT-013") { $0.swapping(.minimum, .maximum) },
    selection("takes maximum for minimum", "SELECT-013") { $0.swapping(.maximum, .minimum) },
    selection("counts different values", "RANDOM-201") { $0.swapping(.sum, .distinctCount) },
    selection("counts all values", "SELECT-012") { $0.swapping(.distinctCount, .count) },
    selection("counts values that repeat once", "SELECT-013") {
      $0.swapping(.count, .distinctCount)
    },
    selection("gives averages for sums", "SELECT-014") { $0.swapping(.sum, .average) },
    selection("gives sums for averages", "SELECT-014") { $0.swapping(.average, .sum) },
    selection("does not filter groups", "RANDOM-201") { $0.having = nil },
    selection("does not sort groups", "RANDOM-201") { $0.order = [] },
    selection("does not cut groups to the window", "RANDOM-201") { $0.query.offset = 0 },
    selection("gives no line for no rows", "RANDOM-201") {
      if $0.groups == [] { $0.groups = [.row("name")] }
    },
    selection("projects without an order", "SELECT-001") { $0.query.sort = [] },
    selection("projects all", "SELECT-001") { $0.query.limit = nil },
    selection("groups by the first key", "RANDOM-201") {
      if let first = $0.groups?.first { $0.groups = $0.groups?.map { _ in first } }
    },
    selection("groups what was to be left out", "RANDOM-301") { $0.query.filter = nil },
  ]
}

extension StoreSelection {
  /// Computes another function.
  fileprivate mutating func swapping(_ one: Function, _ other: Function) {
    columns = columns.map { column in
      guard case .aggregate(one, let value, let type) = column else { return column }
      return .aggregate(other, value, type)
    }
  }
}
