import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  /// Those that evaluate queries wrongly.
  static let asking: [Saboteur] = [
    Saboteur("ignores the offset", "WINDOW-002") {
      .asking { query in query.with { $0.offset = 0 } }
    },
    Saboteur("ignores the limit", "WINDOW-001") {
      .asking { query in query.with { $0.limit = nil } }
    },
    Saboteur("takes the offset twice", "RANDOM-301") {
      .asking { query in query.with { $0.offset = $0.offset.addingReportingOverflow($0.offset).0 } }
    },
    Saboteur("starts over past the end", "WINDOW-004") {
      .giving { rows, store, query in
        guard rows.isEmpty, query.offset > 0, query.limit != 0 else { return rows }
        return try store.fetch(query.with { $0.offset = 0 })
      }
    },
    Saboteur("counts without the window", "RANDOM-301") {
      var alterations = Alterations()
      alterations.count = { store, query in
        try store.count(
          query.with {
            $0.offset = 0
            $0.limit = nil
          }
        )
      }
      return alterations
    },
    Saboteur("takes the window before the order", "RANDOM-301") {
      .giving { rows, store, query in
        let window = try store.fetch(query.with { $0.sort = [] })
        let kept = Set(window.map(\.persistentIdentifier))
        let all = query.with {
          $0.offset = 0
          $0.limit = nil
        }
        return try store.fetch(all).filter { kept.contains($0.persistentIdentifier) }
      }
    },
    Saboteur("compares texts byte by byte", "QUERY-112") {
      .giving { rows, _, query in
        guard
          case .compare(.equal, .property(_, let name), .constant(.string(let text)))? =
            query.filter
        else { return rows }
        return rows.filter {
          guard case .string(let found) = $0[name] else { return false }
          return Array(found.utf8) == Array(text.utf8)
        }
      }
    },
    Saboteur("takes less or equal for less", "QUERY-104") {
      .understanding { expression in
        guard case .compare(.lessOrEqual, let left, let right) = expression else {
          return expression
        }
        return .compare(.less, left, right)
      }
    },
    Saboteur("finds NaN equal to itself", "QUERY-110") {
      .understanding { expression in
        guard case .compare(.equal, _, .constant(.double(let number))) = expression, number.isNaN
        else { return expression }
        return .constant(.bool(true))
      }
    },
    Saboteur("finds nil unequal to nothing, as SQL does", "QUERY-016") {
      .understanding { expression in
        guard case .compare(.notEqual, let left, .constant(let value)) = expression,
          value != .null
        else { return expression }
        return .and([expression, .compare(.notEqual, left, .constant(.null))])
      }
    },
    Saboteur("leaves nil out on both sides of a condition", "RANDOM-301") {
      .understanding { expression in
        guard case .not(.compare(_, let left, _)) = expression else { return expression }
        return .and([expression, .compare(.notEqual, left, .constant(.null))])
      }
    },
    Saboteur("takes the first of several conditions", "QUERY-018") {
      .understanding { expression in
        guard case .and(let parts) = expression, parts.count > 1 else { return expression }
        return parts[0]
      }
    },
    Saboteur("takes % for anything", "QUERY-035") {
      .understanding { expression in
        guard case .text(.contains, _, .constant(.string("%"))) = expression else {
          return expression
        }
        return .constant(.bool(true))
      }
    },
    Saboteur("leaves the entities below out", "QUERY-001") {
      .asking { query in query.with { $0.includesSubentities = false } }
    },
    Saboteur("always gives the entities below", "RANDOM-301") {
      .asking { query in query.with { $0.includesSubentities = true } }
    },
    Saboteur("gives nothing of an entity that it does not know", "QUERY-004") {
      var alterations = Alterations()
      alterations.fetch = { store, query in
        store.schema.storeSchema.entity(named: query.entity) == nil ? [] : nil
      }
      return alterations
    },
    Saboteur("filters, and says that it does not", "QUERY-005") {
      .declaring { $0.filtering = .emulated }
    },
    Saboteur("gives a row for each time it is asked for", "QUERY-003") {
      .giving { rows, _, query in
        guard let asked = query.identifiers else { return rows }
        return asked.compactMap { one in rows.first { $0.persistentIdentifier.key == one.key } }
      }
    },
    Saboteur("takes every member for some member", "RANDOM-201") {
      .understanding { expression in
        guard case .quantified(.every, let list, let variable, let test) = expression else {
          return expression
        }
        return .quantified(.some, list, variable: variable, test)
      }
    },
    Saboteur("counts a value for each time it comes", "RANDOM-201") {
      var alterations = Alterations()
      alterations.select = { selection in
        var selection = selection
        selection.columns = selection.columns.map { column in
          guard case .aggregate(.average, let value, let type) = column else { return column }
          return .aggregate(.maximum, value, type)
        }
        return selection
      }
      return alterations
    },
    Saboteur("groups before it filters", "RANDOM-301") {
      var alterations = Alterations()
      alterations.select = { selection in
        var selection = selection
        if selection.groups != nil { selection.query.filter = nil }
        return selection
      }
      return alterations
    },
  ]

  /// Those that give rows in another order.
  static let ordering: [Saboteur] = [
    Saboteur("reorders what is equal", "SORT-004") {
      .giving { rows, _, query in
        guard let term = query.sort.first, case .property(_, let name) = term.value,
          query.sort.count == 1
        else { return rows }
        return rows.runs { $0[name]?.isAlike($1[name]) == true }.flatMap { $0.reversed() }
      }
    },
    Saboteur("forgets that an order is reversed", "SORT-003") {
      .asking { query in query.with { $0.sort = $0.sort.map { QuerySort($0.value) } } }
    },
    Saboteur("looks at the first term only", "SORT-005") {
      .asking { query in query.with { $0.sort = Array($0.sort.prefix(1)) } }
    },
    Saboteur("sorts texts by their bytes", "RANDOM-301") {
      .giving { rows, _, query in
        guard case .property(_, "name")? = query.sort.first?.value else { return rows }
        return rows.sorted { bytes($0).lexicographicallyPrecedes(bytes($1)) }
      }
    },
    Saboteur("gives rows in the order in which they are asked for", "SORT-001") {
      .giving { rows, _, query in
        guard let asked = query.identifiers, query.sort.isEmpty else { return rows }
        var seen: Set<PersistentIdentifier.Key> = []
        return asked.filter { seen.insert($0.key).inserted }.compactMap { one in
          rows.first { $0.persistentIdentifier.key == one.key }
        }
      }
    },
    Saboteur("sorts, and says that it does not", "SORT-002") {
      .declaring { $0.sorting = .emulated }
    },
    Saboteur("sorts each entity for itself", "RANDOM-301") {
      .giving { rows, _, query in
        guard !query.sort.isEmpty else { return rows }
        let entities = Set(rows.map(\.persistentIdentifier.entityName)).sorted()
        return entities.flatMap { name in
          rows.filter { $0.persistentIdentifier.entityName == name }
        }
      }
    },
  ]

  private static func bytes(_ record: DefaultSnapshot) -> [UInt8] {
    guard case .string(let text) = record["name"] else { return [] }
    return Array(text.utf8)
  }
}

extension StoreQuery {
  /// The query with a change.
  func with(_ change: (inout StoreQuery) -> Void) -> StoreQuery {
    var query = self
    change(&query)
    return query
  }
}

extension StoreValue {
  /// Whether an order finds two values equal.
  fileprivate func isAlike(_ other: StoreValue?) -> Bool {
    if case .double(let own) = self, case .double(let other)? = other { return own == other }
    return self == other
  }
}

extension Array {
  /// The longest parts in which each element goes together with the next.
  fileprivate func runs(_ goTogether: (Element, Element) -> Bool) -> [[Element]] {
    reduce(into: []) { runs, element in
      if let last = runs.last?.last, goTogether(last, element) {
        runs[runs.count - 1].append(element)
      } else {
        runs.append([element])
      }
    }
  }
}
