import StoreProtocol

/// A store with some rows, whose requests and results use the numbers of the rows.
final class LoadedStore {
  private let bench: StoreBench
  private let store: any RecordStore
  private var names: MachineNames

  /// Saves the rows of a batch in a new store, and deletes some.
  init(_ bench: StoreBench, _ batch: MachineBatch, deleted: Set<Int64>) throws {
    self.bench = bench
    store = try bench.store
    names = MachineNames(store: store.identifier)
    let model = ContractModel(Sample.schema.storeSchema)
    let request = try MachineRequest(batch, model, names, nextKey: nil)
    let result = try store.apply(request.changes)
    for (number, record) in request.records {
      if let row = result.remapped[record.persistentIdentifier] { names.add(row, as: number) }
    }
    let gone = deleted.sorted().compactMap { names.identifiers[$0] }
    if !gone.isEmpty { _ = try store.apply(StoreChanges(deleted: gone)) }
  }

  deinit { bench.destroy() }

  /// Returns the rows of a query, as records whose references are numbers.
  func fetch(_ query: StoreQuery) throws -> [(number: Int64, record: DefaultSnapshot)] {
    try store.fetch(own(query)).map { (number(of: $0.persistentIdentifier), $0) }
  }

  func count(_ query: StoreQuery) throws -> Int { try store.count(own(query)) }

  func identifiers(_ query: StoreQuery) throws -> [Int64] {
    try store.identifiers(own(query)).map(number)
  }

  /// Returns the rows of a query, with the values of all properties except to-many relationships.
  func read(_ query: StoreQuery) throws -> [(number: Int64, values: [StoreValue])] {
    var result: [(Int64, [StoreValue])] = []
    try store.read(own(query)) { reader in
      let values = try reader.entity.properties.enumerated().map { index, property in
        property.isToMany ? .null : inNumbers(try reader.value(at: index))
      }
      result.append((number(of: reader.identifier), values))
    }
    return result
  }

  func select(_ selection: StoreSelection) throws -> [[StoreValue]] {
    var own = selection
    own.query = self.own(selection.query)
    own.groups = selection.groups?.map(self.own)
    own.columns = selection.columns.map { column in
      switch column {
      case .value(let value): .value(self.own(value))
      case .aggregate(let function, let value, let type):
        .aggregate(function, self.own(value), type)
      case .key, .count: column
      }
    }
    own.having = selection.having.map(self.own)
    var result: [[StoreValue]] = []
    try store.select(own) { result.append($0.map(inNumbers)) }
    return result
  }

  /// Returns the part of a query that the store evaluates, in numbers.
  func plan(_ query: StoreQuery) throws -> StorePlan {
    var plan = try store.plan(.query(own(query)))
    plan.filter = plan.filter?.replacingIdentifiers(names.inNumbers)
    plan.remaining = plan.remaining?.replacingIdentifiers(names.inNumbers)
    return plan
  }

  /// Returns a value of the store with the numbers of rows instead of their identifiers.
  func inNumbers(_ value: StoreValue) -> StoreValue {
    value.replacingIdentifiers(names.inNumbers)
  }

  private func number(of identifier: PersistentIdentifier) -> Int64 {
    names.inNumbers(identifier).integerKey ?? 0
  }

  private func own(_ query: StoreQuery) -> StoreQuery {
    query.replacingIdentifiers(own)
  }

  private func own(_ expression: QueryExpression) -> QueryExpression {
    expression.replacingIdentifiers(own)
  }

  private func own(_ numbered: PersistentIdentifier) -> PersistentIdentifier {
    names.ownOrMissing(numbered)
  }
}
