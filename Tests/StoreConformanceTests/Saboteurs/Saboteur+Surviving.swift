import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  /// Those that mutants of the stores suggested, which no rule noticed.
  static let surviving: [Saboteur] = [
    Saboteur("opens whatever the schema says", "LIFE-013") {
      var alterations = Alterations()
      alterations.schema = { schema in
        do {
          try schema?.storeSchema.validate()
          return schema
        } catch {
          return Sample.schema
        }
      }
      return alterations
    },
    Saboteur("knows no strings with control characters in lists", "QUERY-034") {
      .understanding { expression in
        guard case .contains(.constant(.array(let list)), let value) = expression else {
          return expression
        }
        let plain = list.filter { element in
          guard case .string(let text) = element else { return true }
          return text.unicodeScalars.allSatisfy { $0.value > 31 }
        }
        return .contains(.constant(.array(plain)), value)
      }
    },
    Saboteur("reports all deletions that it is asked for", "RANDOM-301") {
      let asked = Shared<[PersistentIdentifier]>([])
      var alterations = Alterations()
      alterations.apply = { store, changes in
        asked.withLock { $0 = changes.deleted }
        return try store.apply(changes)
      }
      alterations.transactions = { store, query in
        var transactions = try store.transactions(query)
        guard let last = transactions.popLast() else { return transactions }
        let reported = Set(last.changes.map(\.identifier))
        let unreported = asked.value.filter { !reported.contains($0) }.map {
          StoreChange(.delete, $0)
        }
        let changes = Array(last.changes) + unreported
        return transactions + [last.with(author: last.author, changes: changes)]
      }
      return alterations
    },
    Saboteur("gives all rows that are asked for by identity", "RANDOM-301") {
      .asking { query in query.identifiers == nil ? query : query.with { $0.offset = 0 } }
    },
    Saboteur("repeats the row after which a page begins", "WINDOW-008") {
      .asking { query in query.with { $0.filter = $0.filter.map(includingRow) } }
    },
    Saboteur("refuses what equals one row in two ways", "RANDOM-301") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        let rows = try store.fetch(StoreQuery(entity: "Tool"))
        let isTwice = changes.inserted.contains { record in
          rows.contains { row in
            ["serial", "code"].allSatisfy { row[$0]?.isNull == false && row[$0] == record[$0] }
          }
        }
        if isTwice { throw DataStoreError(.uniqueConflict, "two constraints are broken") }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("compares texts of one batch byte by byte", "RANDOM-301") {
      .saving { changes in
        changes.with { changes in
          for index in changes.inserted.indices.dropFirst() {
            guard case .string(let text)? = changes.inserted[index]["code"] else { continue }
            if !text.utf8.allSatisfy({ $0 < 0x80 }) {
              changes.inserted[index]["code"] = .string(text + "?")
            }
          }
        }
      }
    },
    Saboteur("remembers unique values of rows that were erased", "RANDOM-301") {
      let erased = Shared<Set<StoreValue>>([])
      var alterations = Alterations()
      alterations.erase = { store in
        let items = try store.fetch(StoreQuery(entity: "Item"))
        erased.withLock { $0.formUnion(items.compactMap { $0["code"] }) }
        try store.erase()
      }
      alterations.apply = { store, changes in
        let codes = changes.inserted.compactMap { $0["code"] }.filter { !$0.isNull }
        guard erased.value.isDisjoint(with: codes) else {
          throw DataStoreError(.uniqueConflict, "another row has the value")
        }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("counts a key for each new record, merged or not", "UNIQUE-025") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        guard changes.keys.isEmpty, let next = try store.nextKey() else {
          return try store.apply(changes)
        }
        return try store.apply(
          changes.with { changes in
            for (position, record) in changes.inserted.enumerated() {
              changes.keys[record.persistentIdentifier] = next + Int64(position)
            }
          }
        )
      }
      return alterations
    },
    Saboteur("goes past 2,500 rows at most", "LIMIT-001") {
      .asking { query in query.with { $0.offset = min($0.offset, 2_500) } }
    },
    Saboteur("gives new rows keys of its own", "RANDOM-301") {
      .saving { changes in changes.with { $0.keys = [:] } }
    },
    Saboteur("gives later rows keys that a batch kept free", "RANDOM-301") {
      .saving { changes in changes.with { $0.nextKey = nil } }
    },
    Saboteur("keeps the references to rows with given keys for another time", "RANDOM-301") {
      .saving { changes in
        guard !changes.keys.isEmpty else { return changes }
        return changes.with { changes in
          changes.inserted = changes.inserted.map { record in
            record.changing { $0 == "box" ? .null : $1 }
          }
        }
      }
    },
  ]

  /// Returns a condition that also holds for the rows with which keys are compared.
  private static func includingRow(_ condition: QueryExpression) -> QueryExpression {
    if case .compare(.greater, .element(0), let row) = condition {
      return .compare(.greaterOrEqual, .element(0), row)
    }
    return condition.replacingChildren(condition.children.map(includingRow))
  }
}
