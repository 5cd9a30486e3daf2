import Foundation
import StoreProtocol

/// How one fetch of a context is answered.
///
/// A store answers alone as long as nothing that the query looks at has unsaved changes. Else the
/// store's rows are fetched as far as they can matter, the changed objects are put in their place,
/// and filter, order and window are computed over the objects as they are now.
struct FetchPlan<T: PersistentModel> {
  /// The place of the fetched objects.
  let registration: EntityRegistration
  private let context: ContextState
  private let descriptor: FetchDescriptor<T>
  /// The fetch as a plain value.
  let query: StoreQuery
  /// Whether the order is not the descriptor's.
  private let reordered: Bool
  private let strategy: Strategy

  private enum Strategy {
    /// The store's answer is the answer.
    case stored
    /// Unsaved objects of the fetched models themselves are merged into the store's answer.
    case merged
    /// All objects are looked at as they are now: related ones have unsaved changes.
    case live

    var source: FetchExplanation.Source {
      switch self {
      case .stored: .store
      case .merged: .storeAndUnsavedObjects
      case .live: .allObjects
      }
    }
  }

  /// Plans a fetch.
  ///
  /// - Parameters:
  ///   - descriptor: What to fetch.
  ///   - leading: What the order begins with, before the descriptor's.
  ///   - isExplained: Whether the plan is only to be told about, whatever it demands.
  ///   - context: Who fetches.
  /// - Throws: What lowering throws, and what a descriptor that requires a native answer demands.
  init(
    _ descriptor: FetchDescriptor<T>,
    sortedFirstBy leading: QueryExpression? = nil,
    isExplained: Bool = false,
    in context: ContextState
  ) throws {
    guard let registration = context.registration(for: T.self) else {
      throw SwiftDataError.unsupportedPredicate.with(
        "the container's schema lacks this model; name it where the container is made",
        entity: Schema.entityName(for: T.self)
      )
    }
    self.context = context
    self.registration = registration
    self.descriptor = descriptor
    try context.faults.check()
    try context.carryOutBulkChanges()
    context.absorbSavesOfOthers()
    if descriptor.includePendingChanges { context.processPendingChanges() }
    var query = try StoreQuery(descriptor, schema: context.core.schema)
    reordered = leading.map { $0 != query.sort.first?.value } ?? false
    if reordered, let leading { query.sort.insert(QuerySort(leading), at: 0) }
    query.properties = context.loadable(query.properties, of: registration)
    self.query = query
    strategy = Self.strategy(
      for: query,
      descriptor.includePendingChanges,
      context,
      registration
    )
    if requiresNative, !isExplained { try Self.refuse(unlessNative: explanation()) }
  }

  private static func strategy(
    for query: StoreQuery,
    _ includesPending: Bool,
    _ context: ContextState,
    _ registration: EntityRegistration
  ) -> Strategy {
    guard includesPending, context.hasChanges else { return .stored }
    let changed = Set(context.pending.all.compactMap { $0.registration?.entity.root })
    let reach = QueryReach(query, schema: context.core.schema.storeSchema)
    if !reach.roots.isDisjoint(with: changed) { return .live }
    return changed.contains(registration.entity.root) ? .merged : .stored
  }

  /// Whether the store's answer is the whole answer.
  var isAnsweredByStore: Bool { strategy == .stored }

  private var request: TypedFetchRequest<T>? {
    reordered
      ? nil : TypedFetchRequest(descriptor: descriptor, editingState: context.editingState)
  }

  /// The objects of the answer.
  func models() throws -> [T] {
    switch strategy {
    case .stored: try stored(query, as: request)
    case .merged: try merged(query)
    case .live: try live(query)
    }
  }

  /// Reads the rows of the answer with all their attributes, where the store has the whole answer.
  func readRows(_ body: (RowReader) throws -> Void) throws {
    var query = query
    query.properties = nil
    query.prefetch = []
    try registration.backend.read(query, as: request, body)
  }

  /// The objects that the filter leaves, without order and window.
  func unwindowedModels() throws -> [T] {
    let query = query.withoutOrder
    return switch strategy {
    case .stored: try stored(query)
    case .merged: try merged(query)
    case .live: try live(query)
    }
  }

  /// The size of the answer.
  func count() throws -> Int {
    if isAnsweredByStore { return try registration.backend.count(query, as: request) }
    return try models().count
  }

  /// The identifiers of the answer.
  func identifiers() throws -> [PersistentIdentifier] {
    if isAnsweredByStore { return try registration.backend.identifiers(query, as: request) }
    return try models().map(\.persistentModelID)
  }

  /// The same in little memory.
  func packedIdentifiers() throws -> PackedIdentifiers {
    var packed = PackedIdentifiers()
    if isAnsweredByStore {
      // Rows come one by one, where identifiers come as a list of all.
      var keys = query
      keys.properties = []
      keys.prefetch = []
      try registration.backend.read(keys, as: request) { packed.append($0.identifier) }
    } else {
      for identifier in try identifiers() { packed.append(identifier) }
    }
    packed.finish()
    return packed
  }

  /// How the fetch is answered.
  func explanation() throws -> FetchExplanation {
    FetchExplanation(
      query: query,
      source: strategy.source,
      store: try registration.backend.explain(
        strategy == .live ? StoreQuery(entity: query.entity) : query
      )
    )
  }

  /// How a selection over the fetched rows is computed.
  func explanation(of selection: StoreSelection) throws -> FetchExplanation {
    guard isAnsweredByStore else { return try explanation() }
    return FetchExplanation(
      query: query,
      source: strategy.source,
      store: try registration.backend.explain(selection)
    )
  }

  private func stored(
    _ query: StoreQuery,
    as request: (any FetchRequest)? = nil
  ) throws -> [T] {
    let objects = ObjectBuffer()
    // Asking the runtime once a type is enough.
    var known: ObjectIdentifier?
    let trusts = context.trustsVersions
    try context.read(query, as: request, from: registration, trustsVersions: trusts) { model in
      let type = ObjectIdentifier(type(of: model))
      if type != known {
        guard model is T else { return }
        known = type
      }
      objects.append(model)
    }
    let result = objects.takeAll(knownToBe: T.self)
    registration.identityMap.noteFetched(result)
    return result
  }

  /// The properties that are wanted together with those that filter and order look at.
  private var propertiesForJudging: [String]? {
    query.properties.map { query.propertiesLookedAt.union($0).sorted() }
  }

  private func merged(_ query: StoreQuery) throws -> [T] {
    let own = context.pending.all.filter {
      $0.registration?.entity.root == registration.entity.root
    }
    let merges = try PendingMerges(in: context)
    let live = LiveAnswering(context: context, merges: merges)
    let touched = Set(own.map(ObjectIdentifier.init)).union(merges.replaced)
    var wider = query
    wider.offset = 0
    wider.properties = propertiesForJudging
    wider.limit = query.windowEnd?.addingClamped(touched.count)
    let unchanged = try stored(wider).filter { !touched.contains(ObjectIdentifier($0)) }
    var seen = merges.replaced
    let changed = own.compactMap { $0 as? T }.filter { model in
      !model.isDeleted && model.registration?.context === context
        && seen.insert(ObjectIdentifier(model)).inserted
    }
    let matching = try live.filter(changed, by: query)
    return try live.window(live.sort(unchanged + matching, by: query), of: query)
  }

  private func live(_ query: StoreQuery) throws -> [T] {
    let merges = try PendingMerges(in: context)
    let all = StoreQuery(entity: query.entity, properties: propertiesForJudging)
    let stored = try stored(all)
    let candidates = (stored + context.pending.inserted.compactMap { $0 as? T }).filter {
      !$0.isDeleted && !merges.replaced.contains(ObjectIdentifier($0))
    }
    let live = LiveAnswering(context: context, merges: merges)
    return try live.window(live.sort(live.filter(candidates, by: query), by: query), of: query)
  }

  /// Whether whatever the store does not do itself is an error.
  private var requiresNative: Bool { descriptor.requiresNative || context.requiresNativeFetches }

  /// Throws where a selection is demanded to be computed by the store and is not.
  func checkNative(_ selection: StoreSelection) throws {
    if requiresNative { try Self.refuse(unlessNative: explanation(of: selection)) }
  }

  private static func refuse(unlessNative explanation: FetchExplanation) throws {
    guard !explanation.isNative else { return }
    throw DataStoreError(
      .unsupportedFeature,
      "the fetch requires that the store answers alone, and it does not:\n\(explanation)",
      entity: explanation.query.entity
    )
  }
}
