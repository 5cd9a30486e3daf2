import Foundation
import Observation
import StoreProtocol

/// Counts the events in the history of a container's stores, from any origin.
///
/// ```swift
/// let observer = try HistoryObserver(observedModels: [Trip.self], modelContainer: container)
/// withObservationTracking { observer.eventCounter } onChange: { … }
/// ```
///
/// It reads the history when a context of the container has saved, and when another process has
/// (``ModelContainer/remoteChange``). Both are remote changes for it, since it has no context of its
/// own. It belongs to the isolation that creates it, where it is updated at the next turn; outside
/// of any actor it reads the history whenever it is read. Use
/// ``ModelContainer/transactions(after:of:by:)`` to get the transactions themselves.
public final class HistoryObserver: Observable {
  /// The container whose stores are observed.
  public let modelContainer: ModelContainer
  /// The models whose changes count; an empty array for all.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose saves count; an empty array for all.
  public let authors: Set<String>
  private let notifier: HistoryNotifier
  private let context: ModelContext
  private let registrar = ObservationRegistrar()
  private let checksWhenRead: Bool
  private var reading: HistoryReading
  private var count = 0
  private var failure: (any Error)?

  /// Begins to observe.
  ///
  /// - Parameters:
  ///   - historyTokens: The positions to begin at, by store identifier, or `nil` for the current
  ///     ones.
  ///   - observedModels: The models whose changes count; an empty array for all.
  ///   - authors: The authors whose saves count; an empty set for all.
  ///   - modelContainer: The container.
  ///   - isolation: The isolation of the observer; omit it.
  /// - Throws: ``DataStoreError/unsupportedFeature`` if no store of the container keeps a history,
  ///   `SwiftDataError.invalidTransactionFetchRequest` for a token of another kind of store, and
  ///   errors of the stores.
  public convenience init(
    historyTokens: [String: any HistoryToken]? = nil,
    observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [],
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(historyTokens, observedModels, authors, modelContainer, in: isolation)
  }

  private init(
    _ historyTokens: [String: any HistoryToken]?,
    _ observedModels: [any PersistentModel.Type],
    _ authors: Set<String>,
    _ modelContainer: ModelContainer,
    in isolation: (any Actor)?
  ) throws {
    let core = modelContainer.core
    self.modelContainer = modelContainer
    self.observedModels = observedModels
    self.authors = authors
    checksWhenRead = isolation == nil
    context = ModelContext(modelContainer, isolation: isolation)
    reading = try HistoryReading(after: historyTokens, of: observedModels, by: authors, in: core)
    notifier = HistoryNotifier(
      QueryDependencies(anythingIn: reading.roots, schema: core.schema.storeSchema)
    )
    let isolation = isolation.map { ContextIsolation($0) } ?? .unknown
    context.state.resultsUpdater().keep(notifier, isolation: isolation)
    notifier.onChange = { [weak self] in self?.look() }
    // Reads transactions after the given tokens, or those saved during this initializer.
    look()
  }

  /// The number of times that new transactions were found, regardless of how many there were at
  /// once.
  public var eventCounter: Int {
    checkIfRequested(\.eventCounter)
    return count
  }

  /// The position up to which the history of each store was read, by store identifier.
  public var historyTokens: [String: any HistoryToken] {
    checkIfRequested(\.historyTokens)
    return reading.positions
  }

  /// The error of the last read of the history, or `nil` if it succeeded.
  ///
  /// With `historyTokenExpired` and `historyTokenDiverged`, the history may lack some changes; they
  /// count as well.
  public var fetchError: (any Error)? {
    checkIfRequested(\.fetchError)
    return failure
  }

  private func checkIfRequested<Member>(_ property: KeyPath<HistoryObserver, Member>) {
    if checksWhenRead { context.state.updater?.turn() }
    registrar.access(self, keyPath: property)
  }

  private func look() {
    let before = reading.positions
    var hasChanges = false
    do {
      hasChanges = try !reading.next().isEmpty
      if failure != nil { show(nil) }
    } catch {
      hasChanges =
        error as? SwiftDataError == .historyTokenExpired
        || error as? SwiftDataError == .historyTokenDiverged
      show(error)
    }
    if before != reading.positions {
      registrar.withMutation(of: self, keyPath: \.historyTokens) {}
    }
    if hasChanges { registrar.withMutation(of: self, keyPath: \.eventCounter) { count += 1 } }
  }

  private func show(_ error: (any Error)?) {
    registrar.withMutation(of: self, keyPath: \.fetchError) { failure = error }
  }
}

/// An entry for a history among the results of a context, which is signaled like them.
private final class HistoryNotifier: UpdatedResults {
  let dependencies: QueryDependencies
  var onChange: (() -> Void)?

  init(_ dependencies: QueryDependencies) {
    self.dependencies = dependencies
  }

  let includesPendingChanges = false
  func hasMembers(among gone: Set<PersistentIdentifier>) -> Bool { false }
  func contains(_ model: any PersistentModel) -> Bool { false }
  func accepts(_ model: any PersistentModel) -> Bool { true }
  func mayHaveChanged(_ update: ResultsUpdate) { onChange?() }
}
