import StoreProtocol

/// Evaluates queries over the objects of a context as they are now, unsaved changes included.
struct LiveAnswering {
  /// Evaluates expressions over objects.
  let evaluator: QueryEvaluator<LiveRow>

  init(context: ContextState) {
    evaluator = QueryEvaluator(
      schema: context.core.schema.storeSchema,
      row: { identifier in
        let model = context.model(for: identifier)
        return model.isDeleted ? nil : LiveRow(model)
      },
      members: { row, index in
        row.model.related(at: index).filter { !$0.isDeleted }.map(\.persistentModelID)
      }
    )
  }

  /// The objects for which a query's filter holds.
  func filter<T: PersistentModel>(_ models: [T], by query: StoreQuery) throws -> [T] {
    guard let filter = query.filter else { return models }
    let test = try evaluator.test(filter)
    return try models.filter { try LiveRow($0).map(test) ?? false }
  }

  /// The objects in a query's order; new ones that will become updates stand in the place of what
  /// they update.
  func sort<T: PersistentModel>(
    _ models: [T],
    by query: StoreQuery,
    _ merges: PendingMerges
  ) throws -> [T] {
    let rows = models.compactMap { LiveRow($0, place: merges.places[ObjectIdentifier($0)]) }
    return try evaluator.sorted(rows, by: query.sort).compactMap { $0.model as? T }
  }

  /// The part of an ordered answer that a query asks for.
  func window<T>(_ models: [T], of query: StoreQuery) -> [T] {
    let rest = models.dropFirst(max(0, query.offset))
    return Array(query.limit.map { rest.prefix(max(0, $0)) } ?? rest)
  }
}

/// An object as the evaluator sees it.
struct LiveRow: QueryRow {
  /// The object.
  let model: any PersistentModel
  /// The entity of the object.
  let entity: StoreEntity
  /// The identity of the object.
  let identifier: PersistentIdentifier

  /// Takes an object that belongs to a context, with another identity where it has one soon.
  init?(_ model: any PersistentModel, place: PersistentIdentifier? = nil) {
    guard let registration = model.registration else { return nil }
    self.model = model
    entity = registration.entity
    identifier = place ?? model.persistentModelID
  }

  func value(at index: Int) -> StoreValue {
    switch ContentWriter.content(of: index, in: model) {
    case .value(let value): value
    case .failure: .null
    case .models, .fault: relationship(at: index)
    }
  }

  private func relationship(at index: Int) -> StoreValue {
    let models = model.related(at: index).filter { !$0.isDeleted }
    if entity.properties[index].isToMany {
      return .identifiers(models.map(\.persistentModelID))
    }
    return models.first.map { .identifier($0.persistentModelID) } ?? .null
  }
}
