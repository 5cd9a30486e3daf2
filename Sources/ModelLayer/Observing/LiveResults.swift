import Foundation
import ModelRuntime
import QueryEvaluation
import StoreProtocol

/// The result of a fetch, kept up to date in its context.
final class LiveResults<T: PersistentModel>: UpdatedResults {
  /// The context, which exists as long as its result is in use.
  let context: ModelContext
  private(set) var descriptor: FetchDescriptor<T>
  /// The key path that precedes the descriptor's order.
  private(set) var leading: AnyKeyPath?
  private(set) var models: [T] = []
  /// The error of the last fetch; the result is then that of the last successful one.
  private(set) var failure: (any Error)?
  private(set) var dependencies: QueryDependencies
  /// The possible change since the last fetch.
  var staleness: ResultsChange { pendingUpdate.change }
  /// The number of times that the result was computed, by a fetch or in place.
  private(set) var fetchCount = 0
  /// Called in the context's isolation with the possible change of the result.
  var onChange: ((ResultsChange) -> Void)?

  private var pendingUpdate = ResultsUpdate.nothing
  private var query: StoreQuery
  private let followsValues: Bool
  private let signal: (@Sendable () -> Void)?
  private let box: ChangeInbox
  private var filter: ((LiveRow) throws -> Bool)?
  private var members: Set<ObjectIdentifier>?

  /// Fetches for the first time, and keeps the result up to date from then on.
  ///
  /// - Parameters:
  ///   - descriptor: The fetch.
  ///   - leading: The key path that precedes the descriptor's order.
  ///   - context: The context.
  ///   - isolation: The isolation of the context.
  ///   - followsValues: Whether changed values of objects in the result count.
  ///   - signal: Called on any thread when the result may have changed.
  /// - Throws: Errors of the fetch.
  init(
    _ descriptor: FetchDescriptor<T>,
    sortedFirstBy leading: AnyKeyPath? = nil,
    in context: ModelContext,
    isolation: ContextIsolation = .unknown,
    followsValues: Bool = false,
    signal: (@Sendable () -> Void)? = nil
  ) throws {
    self.context = context
    self.descriptor = descriptor
    self.leading = leading
    self.followsValues = followsValues
    self.signal = signal
    let updater = context.state.resultsUpdater()
    box = updater.box
    query = try Self.query(descriptor, leading, context.state)
    dependencies = QueryDependencies(
      query,
      schema: context.state.core.schema.storeSchema,
      followsValues: followsValues
    )
    // Before the fetch, so that no save between both is missed.
    updater.keep(self, isolation: isolation, signal: signal)
    try prepare(query)
    models = try fetched(descriptor, leading)
  }

  deinit {
    box.end(ObjectIdentifier(self))
  }

  /// Changes the fetch; if that throws, everything is unchanged.
  func change(to descriptor: FetchDescriptor<T>, sortedFirstBy leading: AnyKeyPath?) throws {
    let query = try Self.query(descriptor, leading, context.state)
    let models = try fetched(descriptor, leading)
    try prepare(query)
    self.descriptor = descriptor
    self.leading = leading
    dependencies = QueryDependencies(
      query,
      schema: context.state.core.schema.storeSchema,
      followsValues: followsValues
    )
    self.query = query
    context.state.resultsUpdater().keep(self, signal: signal)
    take(models)
    failure = nil
    pendingUpdate = .nothing
  }

  /// Fetches again.
  ///
  /// - Returns: Whether the result has other objects, or another order.
  @discardableResult
  func refetch() -> Bool {
    defer { pendingUpdate = .nothing }
    do {
      let models = try adjusted() ?? fetched(descriptor, leading)
      failure = nil
      let isSame = models.elementsEqual(self.models, by: ===)
      if !isSame { take(models) }
      return !isSame
    } catch {
      failure = error
      return false
    }
  }

  /// Clears the changes of values, which the objects themselves have.
  func noteSeen() { pendingUpdate = .nothing }

  var includesPendingChanges: Bool { descriptor.includePendingChanges }

  func hasMembers(among gone: Set<PersistentIdentifier>) -> Bool {
    // An object with unsaved changes stays when its row no longer exists.
    models.contains { $0.isDeleted || gone.contains($0.persistentModelID) }
  }

  func contains(_ model: any PersistentModel) -> Bool {
    let current = members ?? Set(models.map(ObjectIdentifier.init))
    members = current
    return current.contains(ObjectIdentifier(model))
  }

  func accepts(_ model: any PersistentModel) throws -> Bool {
    guard let model = model as? T else { return false }
    guard let filter else { return true }
    return try live.row(of: model).map(filter) ?? false
  }

  func mayHaveChanged(_ update: ResultsUpdate) {
    self.pendingUpdate.add(update)
    onChange?(update.change)
  }

  private func take(_ models: [T]) {
    self.models = models
    members = nil
  }

  /// Returns the objects with the moved ones in their new positions, or `nil` if only a fetch can
  /// determine them.
  ///
  /// The result equals that of a fetch, with which tests compare it: it consists of the rows that
  /// the filter accepts, in an order that depends on their own values.
  private func adjusted() -> [T]? {
    guard failure == nil, let moved = pendingUpdate.moved, !moved.isEmpty,
      dependencies.isEvaluatedByRow,
      dependencies.roots.count == 1, query.limit == nil, query.includesSubentities,
      includesPendingChanges, descriptor.relationshipKeyPathsForPrefetching.isEmpty
    else { return nil }
    // As in a fetch: the effects of deletions may concern other objects of the result.
    context.state.processPendingChanges()
    guard context.state.resultsUpdater().local.isEmpty else { return nil }
    var models = models
    for model in moved { models.removeAll { $0 === model } }
    do {
      for case let model as T in moved where !model.isDeleted {
        guard model.registration?.context === context.state, try accepts(model),
          !models.contains(where: { $0 === model })
        else { continue }
        models.insert(model, at: try index(of: model, in: models, live))
      }
    } catch {
      // If the filter cannot be evaluated, the fetch will report the error.
      return nil
    }
    fetchCount += 1
    return models
  }

  /// Returns the index at which an object belongs in a sorted list.
  private func index(of model: T, in models: [T], _ live: LiveEvaluation) throws -> Int {
    var order = query
    order.filter = nil
    var range = models.startIndex..<models.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let first = try live.evaluate(order, over: [model, models[middle]]).first
      range = first === model ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return range.lowerBound
  }

  private func fetched(_ descriptor: FetchDescriptor<T>, _ leading: AnyKeyPath?) throws -> [T] {
    fetchCount += 1
    let title = try leading.map { try QuerySort(keyPath: $0, of: T.self).value }
    let plan = try FetchPlan(descriptor, sortedFirstBy: title, in: context.state)
    return try plan.fetched(isObserving: true)
  }

  private func prepare(_ query: StoreQuery) throws {
    filter = try query.filter.map { try live.evaluator.test($0) }
  }

  private var live: LiveEvaluation {
    LiveEvaluation(context: context.state, readsOutdated: false)
  }

  private static func query(
    _ descriptor: FetchDescriptor<T>,
    _ leading: AnyKeyPath?,
    _ context: ContextState
  ) throws -> StoreQuery {
    var query = try StoreQuery(descriptor, in: context.queryScope(of: T.self))
    if let leading { query.sort.insert(try QuerySort(keyPath: leading, of: T.self), at: 0) }
    return query
  }
}
