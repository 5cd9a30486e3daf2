import QueryEvaluation
import StoreProtocol

/// Compares the results of a store with those of the evaluator, for each kind of request.
struct DifferentialCheck {
  let store: LoadedStore
  let reference: ReferenceRows

  /// Saves rows in a new store, and deletes some.
  init(_ bench: StoreBench, _ rows: [DifferentialRow], deleted: Set<Int64>) throws {
    let batch = MachineBatch(inserted: rows)
    store = try LoadedStore(bench, batch, deleted: deleted)
    let model = try ContractModel(Sample.schema.storeSchema).applying(batch).model
    reference = ReferenceRows(
      try model.applying(MachineBatch(deleted: deleted.sorted())).model
    )
  }

  /// Returns the first difference for a query or selection.
  func difference(_ question: DifferentialCase.Question) -> Difference? {
    do {
      switch question {
      case .query(let query): try check(query)
      case .selection(let selection): try check(selection)
      }
      return nil
    } catch let difference as Difference {
      return difference
    } catch {
      return Difference(.error, expected: "no error", found: "\(error)")
    }
  }

  private func check(_ query: StoreQuery) throws {
    let expected = try outcome { try reference.evaluate(query) }
    let found = try outcome { try store.fetch(query) }
    try compareOutcomes(.rows, found.map { $0.map(\.number) }, expected, by: ==)
    guard case .success(let rows) = found, case .success(let numbers) = expected else { return }
    try compareValues(rows)
    try compare(.count, try store.count(query), numbers.count)
    try compare(.identifiers, try store.identifiers(query), numbers)
    try checkReading(query, rows)
    try checkWindow(query, numbers)
    try checkPart(query, numbers)
    try checkPartition(query)
    try checkParts(query)
  }

  /// Checks that records have the values of the rows.
  private func compareValues(_ found: [(number: Int64, record: DefaultSnapshot)]) throws {
    for (number, record) in found {
      guard let row = reference.row(number) else { continue }
      for (index, property) in row.entity.properties.enumerated() where !property.isToMany {
        let value = store.inNumbers(record[property.name] ?? .null)
        guard value.isSame(as: row.value(at: index)) else {
          throw Difference(
            .values,
            expected: "\(property.name) of row \(number) as \(row.value(at: index))",
            found: "\(value)"
          )
        }
      }
    }
  }

  private func checkReading(
    _ query: StoreQuery,
    _ fetched: [(number: Int64, record: DefaultSnapshot)]
  ) throws {
    let read = try store.read(query)
    try compare(.read, read.map(\.number), fetched.map(\.number))
    for (row, other) in zip(read, fetched) {
      let properties = try Sample.entity(other.record.persistentIdentifier.entityName).properties
      for (index, property) in properties.enumerated() where !property.isToMany {
        let expected = store.inNumbers(other.record[property.name] ?? .null)
        let found = row.values.indices.contains(index) ? row.values[index] : nil
        guard found?.isSame(as: expected) != true else { continue }
        throw Difference(
          .read,
          expected: "\(property.name) of row \(row.number) as \(expected)",
          found: found.map { "\($0)" } ?? "no value"
        )
      }
    }
  }

  private func checkWindow(_ query: StoreQuery, _ expected: [Int64]) throws {
    guard query.offset != 0 || query.limit != nil else { return }
    var whole = query
    whole.offset = 0
    whole.limit = nil
    let all = try store.identifiers(whole)
    let rest = all.dropFirst(max(query.offset, 0))
    try compare(.window, Array(rest.prefix(max(query.limit ?? .max, 0))), expected)
  }

  /// Checks that the part of a filter that a store evaluates and the rest together equal the
  /// filter.
  private func checkPart(_ query: StoreQuery, _ expected: [Int64]) throws {
    let part = try store.plan(query)
    var joined = query
    joined.filter = .and([part.filter, part.remaining].compactMap { $0 })
    try compare(.part, try reference.evaluate(joined), expected)
    guard let filter = part.filter else { return }
    var taken = StoreQuery(entity: query.entity, includesSubentities: query.includesSubentities)
    taken.filter = filter
    let superset = Set(try reference.evaluate(taken))
    let missing = expected.filter { !superset.contains($0) }
    try compare(.part, missing, [])
  }

  /// Checks that no row matches a condition and its negation, and that each row matches one of them
  /// unless the condition can trap.
  private func checkPartition(_ query: StoreQuery) throws {
    guard let filter = query.filter else { return }
    let yes = try store.identifiers(query.asking(filter))
    let no = try store.identifiers(query.asking(.not(filter)))
    try compare(.partition, no, try reference.evaluate(query.asking(.not(filter))))
    try compare(.partition, yes.filter(Set(no).contains), [])
    guard typing(query).canDecide(filter) else { return }
    let all = try reference.evaluate(query.asking(nil))
    try compare(.partition, (yes + no).sorted(), all)
  }

  /// Checks that the results of combined conditions equal the combined results of the conditions.
  private func checkParts(_ query: StoreQuery) throws {
    let typing = typing(query)
    guard let filter = query.filter, typing.canDecide(filter), filter.children.count > 1 else {
      return
    }
    func results() throws -> [Set<Int64>] {
      try filter.children.map { Set(try store.identifiers(query.asking($0))) }
    }
    let all = try store.identifiers(query.asking(filter))
    switch filter {
    case .and:
      let parts = try results()
      let joined = parts.dropFirst().reduce(parts[0]) { $0.intersection($1) }
      try compare(.parts, all, joined.sorted())
    case .or:
      let joined = try results().reduce(Set()) { $0.union($1) }
      try compare(.parts, all, joined.sorted())
    default: return
    }
  }

  private func typing(_ query: StoreQuery) -> QueryTyping {
    QueryTyping([0: .object(query.entity)])
  }

  private func check(_ selection: StoreSelection) throws {
    let expected = try outcome { try reference.evaluate(selection) }
    try compareOutcomes(.selection, outcome { try store.select(selection) }, expected) {
      $0.elementsEqual($1) { a, b in a.elementsEqual(b) { $0.isSame(as: $1) } }
    }
  }
}

extension DifferentialCheck {
  /// Returns a result, or the error that the contract specifies; rethrows other errors.
  private func outcome<T>(_ body: () throws -> T) throws -> Result<T, DataStoreError> {
    do throws(any Error) {
      return .success(try body())
    } catch let error as DataStoreError {
      return .failure(error)
    }
  }

  private func compareOutcomes<T>(
    _ aspect: Difference.Aspect,
    _ found: Result<T, DataStoreError>,
    _ expected: Result<T, DataStoreError>,
    by areSame: (T, T) -> Bool
  ) throws {
    switch (found, expected) {
    case (.success(let a), .success(let b)) where areSame(a, b): return
    case (.failure(let a), .failure(let b)) where a == b: return
    case (.success, .success):
      throw Difference(aspect, expected: text(expected), found: text(found))
    default: throw Difference(.error, expected: text(expected), found: text(found))
    }
  }

  private func compare<T: Equatable>(
    _ aspect: Difference.Aspect,
    _ found: T,
    _ expected: T
  ) throws {
    guard found != expected else { return }
    throw Difference(aspect, expected: "\(expected)", found: "\(found)")
  }

  private func text<T>(_ result: Result<T, DataStoreError>) -> String {
    switch result {
    case .success(let value): "\(value)".replacing("StoreProtocol.StoreValue.", with: ".")
    case .failure(let error): "the error \(error)"
    }
  }
}

extension StoreQuery {
  /// Returns a query for the same rows with another filter, without sort order, limit and offset.
  fileprivate func asking(_ filter: QueryExpression?) -> StoreQuery {
    StoreQuery(entity: entity, includesSubentities: includesSubentities, filter: filter)
  }
}

extension StoreValue {
  /// Returns whether two values are indistinguishable to a reader.
  ///
  /// Values must be identical, except that references are compared by key, and all NaN are equal.
  func isSame(as other: StoreValue) -> Bool {
    switch (self, other) {
    case (.double(let a), .double(let b)) where a.isNaN: b.isNaN
    case (.identifier(let a), .identifier(let b)): a.key == b.key
    case (.identifiers(let a), .identifiers(let b)): a.map(\.key) == b.map(\.key)
    default: self == other
    }
  }
}
