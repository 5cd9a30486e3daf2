import QueryEvaluation
import StoreProtocol

/// Evaluates queries over the current objects of a context, including unsaved changes.
struct LiveEvaluation {
  /// Evaluates expressions over objects.
  let evaluator: QueryEvaluator<LiveRow>
  private let merges: PendingMerges
  private let readsOutdated: Bool

  /// Creates an evaluation.
  ///
  /// - Parameters:
  ///   - context: The context of the objects.
  ///   - merges: The merges of new objects by the next save.
  ///   - readsOutdated: Whether objects that others may have changed are read again first. Observers
  ///     know which of their values are current, and take them as they are.
  init(
    context: ContextState,
    merges: PendingMerges = PendingMerges(),
    readsOutdated: Bool = true
  ) {
    self.merges = merges
    self.readsOutdated = readsOutdated
    evaluator = QueryEvaluator(
      schema: context.core.schema.storeSchema,
      row: { identifier in
        let model = context.model(for: identifier)
        if model.isDeleted { return nil }
        return LiveRow(merges.successor(of: model), merges, readsOutdated)
      },
      members: { row, index in row.members(at: index) }
    )
  }

  /// Returns an object as a row, or `nil` if it belongs to no context.
  func row(of model: any PersistentModel) -> LiveRow? { LiveRow(model, merges, readsOutdated) }

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
  private let readsOutdated: Bool

  /// Creates the row of an object, or returns `nil` if the object belongs to no context.
  fileprivate init?(_ model: any PersistentModel, _ merges: PendingMerges, _ readsOutdated: Bool) {
    guard let registration = model.registration else { return nil }
    self.model = model
    self.merges = merges
    self.readsOutdated = readsOutdated
    entity = registration.entity
    identifier = merges.identity(of: model)
  }

  func value(at index: Int) -> StoreValue {
    if readsOutdated, model._$state.flags.contains(.outdated) { model.readOutdated() }
    return switch PropertyReader.content(of: index, in: model) {
    case .value(let value): value
    case .failure: .null
    case .models, .fault, .reference: relationship(at: index)
    }
  }

  /// Returns the elements of a to-many relationship.
  func members(at index: Int) -> [PersistentIdentifier] {
    // An object that others are merged into has the elements of all of them.
    let owners = merges.predecessors(of: model).filter { has(index, as: $0) } + [model]
    let models = owners.flatMap { $0.related(at: index) }.filter { !$0.isDeleted }
    // An object that is replaced no longer counts by its own reference; its successor does. In a
    // list of identities the successor takes its position.
    let counting =
      entity.properties[index].isDerivedToMany
      ? models.filter { !merges.replaced.contains(ObjectIdentifier($0)) } : models
    return counting.map(merges.identity(of:)).withoutRepeats
  }

  /// Whether an object, which may be of a subclass, has the same property at an index.
  private func has(_ index: Int, as other: any PersistentModel) -> Bool {
    guard let others = other.registration?.entity.properties else { return false }
    return others.indices.contains(index) && others[index].name == entity.properties[index].name
  }

  private func relationship(at index: Int) -> StoreValue {
    if entity.properties[index].isToMany { return .identifiers(members(at: index)) }
    guard let target = model.related(at: index).first(where: { !$0.isDeleted }),
      isCounterpart(target, at: index)
    else { return .null }
    return .identifier(merges.identity(of: target))
  }

  /// Whether a related object will still refer back if the relationship is one-to-one.
  ///
  /// An object that is replaced gets the counterpart of its successor.
  private func isCounterpart(_ target: any PersistentModel, at index: Int) -> Bool {
    guard merges.replaced.contains(ObjectIdentifier(target)),
      entity.properties[index].relationship?.inverseIsToOne == true,
      let inverse = model.registration?.inverses[index]
    else { return true }
    let counterpart = merges.successor(of: target).related(at: inverse).first { !$0.isDeleted }
    return counterpart.map(merges.identity(of:)) == identifier
  }
}
