import QueryEvaluation
import StoreProtocol

/// Evaluates queries over the current objects of a context, including unsaved changes.
struct LiveEvaluation {
  /// Evaluates expressions over objects.
  let evaluator: QueryEvaluator<LiveRow>
  private let merges: PendingMerges

  init(context: ContextState, merges: PendingMerges = PendingMerges()) {
    self.merges = merges
    evaluator = QueryEvaluator(
      schema: context.core.schema.storeSchema,
      row: { identifier in
        let model = context.model(for: identifier)
        if model.isDeleted { return nil }
        return LiveRow(merges.successors[ObjectIdentifier(model)] ?? model, merges)
      },
      members: { row, index in row.members(at: index) }
    )
  }

  /// Returns an object as a row, or `nil` if it belongs to no context.
  func row(of model: any PersistentModel) -> LiveRow? { LiveRow(model, merges) }

  /// Returns the objects of a query's result among some objects.
  func evaluate<T: PersistentModel>(_ query: StoreQuery, over models: [T]) throws -> [T] {
    let rows = models.compactMap { row(of: $0) }
    return try evaluator.evaluate(query, over: rows).compactMap { $0.model as? T }
  }
}

/// An object as a row of the evaluator.
struct LiveRow: QueryRow {
  let model: any PersistentModel
  let entity: StoreEntity
  /// The identity that the object has, or will have if it becomes an update of another.
  let identifier: PersistentIdentifier
  private let merges: PendingMerges

  /// Creates the row of an object, or returns `nil` if the object belongs to no context.
  fileprivate init?(_ model: any PersistentModel, _ merges: PendingMerges) {
    guard let registration = model.registration else { return nil }
    self.model = model
    self.merges = merges
    entity = registration.entity
    identifier = merges.identity(of: model)
  }

  func value(at index: Int) -> StoreValue {
    switch ContentWriter.content(of: index, in: model) {
    case .value(let value): value
    case .failure: .null
    case .models, .fault, .reference: relationship(at: index)
    }
  }

  /// Returns the elements of a to-many relationship.
  func members(at index: Int) -> [PersistentIdentifier] {
    let models = model.related(at: index).filter { !$0.isDeleted }
    // An object that is replaced no longer counts by its own reference; its successor does. In a
    // list of identities the successor takes its position.
    if entity.properties[index].isDerivedToMany {
      return models.filter { !merges.replaced.contains(ObjectIdentifier($0)) }
        .map(merges.identity(of:))
    }
    // An object that others are merged into has the elements of all of them.
    let earlier = merges.predecessors(of: model).filter { $0.registration?.entity === entity }
      .flatMap { $0.related(at: index) }.filter { !$0.isDeleted }
    return (earlier + models).map(merges.identity(of:)).withoutRepeats
  }

  private func relationship(at index: Int) -> StoreValue {
    if entity.properties[index].isToMany { return .identifiers(members(at: index)) }
    let target = model.related(at: index).first { !$0.isDeleted }
    return target.map { .identifier(merges.identity(of: $0)) } ?? .null
  }
}
