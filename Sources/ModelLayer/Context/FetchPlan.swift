import Foundation
import ModelRuntime
import StoreProtocol

/// The plan by which a context evaluates one fetch.
///
/// A store evaluates the fetch alone while nothing that the query reads has unsaved changes.
/// Otherwise the store's rows are fetched as far as they can matter, and the changed objects
/// replace their rows. Filter, order and window are then computed over the current objects.
struct FetchPlan<T: PersistentModel> {
  let registration: EntityRegistration
  private let context: ContextState
  private let descriptor: FetchDescriptor<T>
  /// The fetch as a plain value.
  let query: StoreQuery
  /// The fetch of all pages of which ``query`` is one.
  let unpagedQuery: StoreQuery
  /// Whether the order or the rows differ from the descriptor's.
  private let differs: Bool
  /// The origin of the result.
  private let source: FetchExplanation.Source

  /// Plans a fetch.
  ///
  /// - Parameters:
  ///   - descriptor: The fetch.
  ///   - leading: The expression that precedes the descriptor's sort terms.
  ///   - page: The part of the result to fetch, or `nil` for all.
  ///   - isExplained: Whether the plan is only explained, regardless of its requirements.
  ///   - context: The context that fetches.
  /// - Throws: Errors of lowering, and an error if the descriptor requires a native result and
  ///   there is none.
  init(
    _ descriptor: FetchDescriptor<T>,
    sortedFirstBy leading: QueryExpression? = nil,
    at page: PageDescriptor<T>? = nil,
    isExplained: Bool = false,
    in context: ContextState
  ) throws {
    guard let registration = context.registration(for: T.self) else {
      throw SwiftDataError.unsupportedPredicate.with(
        "the container's schema lacks this model; name it when you create the container",
        entity: Schema.entityName(for: T.self)
      )
    }
    self.context = context
    self.registration = registration
    self.descriptor = descriptor
    try context.loader.existingFaults?.check()
    if !context.bulkChanges.isEmpty { try BulkChanges(in: context).carryOut() }
    context.feed.applySavesOfOthers()
    if descriptor.includePendingChanges, context.pending.holdsDeleted {
      context.processPendingChanges()
    }
    let scope = registration.facts.queryScope
    var query = try StoreQuery(descriptor, of: registration.layout, in: scope)
    differs = leading.map { $0 != query.sort.first?.value } ?? (page != nil)
    if differs, let leading { query.sort.insert(QuerySort(leading), at: 0) }
    if let wanted = query.properties {
      query.properties = context.loader.loadable(wanted, of: registration)
    }
    unpagedQuery = query
    if let page {
      query = try page.query(query, context.core.schema.storeSchema, in: registration.scope)
    }
    self.query = query
    source =
      descriptor.includePendingChanges && context.hasChanges
      ? Self.source(of: query, context, registration) : .store
    if requiresNative, !isExplained { try Self.refuse(unlessNative: explanation()) }
  }

  /// Returns the origin of a result that includes unsaved changes, of which there are some.
  private static func source(
    of query: StoreQuery,
    _ context: ContextState,
    _ registration: EntityRegistration
  ) -> FetchExplanation.Source {
    let changed = context.pending.indexed.roots
    let reach = QueryReach(query, schema: context.core.schema.storeSchema)
    if !reach.roots.isDisjoint(with: changed) { return .allObjects }
    return changed.contains(registration.entity.root) ? .storeAndUnsavedObjects : .store
  }

  /// Whether the store's result is the whole result.
  var isEvaluatedByStore: Bool { source == .store }

  /// The store of the rows, which responds to the program's fetch if it is of SwiftData's protocol.
  private var store: any RecordStore {
    guard let adapter = registration.facts.adapter, !differs else { return registration.store }
    return adapter.responding(to: descriptor, context.editingState)
  }

  /// The objects of the store's result.
  private var storedModels: [T] {
    get throws { try context.loader.objects(of: query, in: store, from: registration) }
  }

  /// Returns the objects of the result, with the relationships that the descriptor prefetches.
  ///
  /// With `isObserving`, it is a fetch of an observer, which the program did not request.
  func fetched(isObserving: Bool = false) throws -> [T] {
    let models: [T]
    if isEvaluatedByStore {
      models = try storedModels
    } else {
      models = try isObserving ? evaluated(query).models : programModels()
      registration.identityMap.noteFetched(models)
    }
    // Casting the list to one of any models copies it object by object.
    if !query.prefetch.isEmpty {
      try context.loader.prefetch(query.prefetch, for: models, in: registration)
    }
    return models
  }

  /// Returns the objects of the result.
  func models() throws -> [T] {
    isEvaluatedByStore ? try storedModels : try evaluated(query).models
  }

  /// Returns the objects of the result for the program.
  ///
  /// If the program deletes a new one, it also means the objects that this replaced.
  func programModels() throws -> [T] {
    if isEvaluatedByStore { return try storedModels }
    let (models, merges) = try evaluated(query)
    if merges.replaced.isEmpty { return models }
    for model in models {
      let replaced = merges.predecessors(of: model)
      if !replaced.isEmpty { context.pending.note(replaced, replacedBy: model) }
    }
    return models
  }

  /// Returns the objects that satisfy the filter, without order and window.
  func unwindowedModels() throws -> [T] {
    let query = query.withoutOrder
    return isEvaluatedByStore
      ? try context.loader.objects(of: query, from: registration) : try evaluated(query).models
  }

  /// Returns the objects of a query with those that have unsaved changes.
  private func evaluated(_ query: StoreQuery) throws -> (models: [T], merges: PendingMerges) {
    source == .storeAndUnsavedObjects ? try merged(query) : try live(query)
  }

  /// Reads the rows of the result with all their attributes, if the store has the whole result.
  func readRows(_ body: (RowReader) throws -> Void) throws {
    var query = query
    query.properties = nil
    query.prefetch = []
    try context.feed.noticing { try store.readRows(of: query, body) }
  }

  /// Returns the size of the result.
  func count() throws -> Int {
    if isEvaluatedByStore { return try context.feed.noticing { try store.countRows(of: query) } }
    if source == .storeAndUnsavedObjects, let count = try countOfAll() { return count }
    return try models().count
  }

  /// Returns the number of all objects in the window, or `nil` if it cannot be derived from the number
  /// of rows.
  private func countOfAll() throws -> Int? {
    guard query.filter == nil else { return nil }
    let schema = context.core.schema.storeSchema
    let family = query.includesSubentities ? schema.family(of: query.entity).map(\.name) : []
    let search = PendingSearch(query, in: registration)
    let entities = Set(family + [query.entity])
    guard let excess = try search.excess(of: entities, in: registration.store) else { return nil }
    let rows = try context.feed.noticing {
      try registration.store.countRows(of: query.withoutOrder)
    }
    let count = max(rows + excess - max(query.offset, 0), 0)
    return min(count, query.limit ?? count)
  }

  func identifiers() throws -> [PersistentIdentifier] {
    if isEvaluatedByStore {
      return try context.feed.noticing { try store.rowIdentifiers(of: query) }
    }
    return try programModels().map(\.persistentModelID)
  }

  /// Returns the identifiers of the result in compact form.
  func packedIdentifiers() throws -> PackedIdentifiers {
    var packed = PackedIdentifiers()
    if isEvaluatedByStore {
      // Rows are read one by one, whereas identifiers are returned as one list.
      var keys = query
      keys.properties = []
      keys.prefetch = []
      try context.feed.noticing { try store.readRows(of: keys) { packed.append($0.identifier) } }
    } else {
      for identifier in try identifiers() { packed.append(identifier) }
    }
    packed.finish()
    return packed
  }

  /// Explains how the fetch is evaluated.
  func explanation() throws -> FetchExplanation {
    FetchExplanation(
      query: query,
      source: source,
      store: try registration.store.explain(
        .query(source == .allObjects ? StoreQuery(entity: query.entity) : query)
      )
    )
  }

  /// Explains how a selection over the fetched rows is computed.
  func explanation(of selection: StoreSelection) throws -> FetchExplanation {
    guard isEvaluatedByStore else { return try explanation() }
    return FetchExplanation(
      query: query,
      source: source,
      store: try registration.store.explanation(of: selection)
    )
  }

  /// The requested properties together with those that filter and order read.
  private var propertiesForEvaluation: [String]? {
    query.properties.map { query.inspectedProperties.union($0).sorted() }
  }

  private func merged(_ query: StoreQuery) throws -> (models: [T], merges: PendingMerges) {
    let search = PendingSearch(query, in: registration)
    let rows: [T] = try context.loader.objects(of: widened(query, by: search), from: registration)
    let own = search.models(with: rows)
    let inserted = own.filter(context.isNew)
    let edited = own.filter { !context.isNew($0) }
    let refer = inserted.contains { $0.registration?.hasUniqueReferences == true }
    let new = PendingUniqueValues(
      of: inserted,
      in: context,
      refer ? try PendingMerges(in: context) : PendingMerges()
    )
    // Rows that new objects replace matter if they, or the new objects, are in the result.
    var merges = PendingMerges(of: new, into: rows + edited, in: context)
    var changed = changedObjects(among: own, merges)
    if readsOnlyOwnValues {
      let live = LiveEvaluation(context: context, merges: merges)
      changed = try live.evaluate(query.withoutOrder, over: changed)
    }
    let matching = Set(changed.map(ObjectIdentifier.init))
    let replaced = try new.storedObjects { model in
      matching.contains(ObjectIdentifier(merges.successor(of: model)))
    }
    if !replaced.isEmpty {
      merges = PendingMerges(of: new, into: rows + replaced + edited, in: context)
      changed = changedObjects(among: changed, merges)
    }
    let unchanged = rows.filter {
      !$0.isUnsaved && !merges.replaced.contains(ObjectIdentifier($0))
    }
    let live = LiveEvaluation(context: context, merges: merges)
    changed = try live.evaluate(query.withoutOrder, over: changed)
    var rest = query
    rest.filter = nil
    return (try live.evaluate(rest, over: unchanged + changed), merges)
  }

  /// Returns the query for all rows that may remain in a result if changed objects replace others.
  private func widened(
    _ query: StoreQuery,
    by search: PendingSearch
  ) -> StoreQuery {
    var wider = query
    wider.offset = 0
    wider.limit = query.windowEnd?.addingClamped(search.replaceableRows)
    wider.properties = propertiesForEvaluation.flatMap { names in
      let unique = search.uniqueProperties
      // All are loaded if a unique property belongs to another entity of the hierarchy.
      let isOwn = unique.allSatisfy { registration.entity.indexByName[$0] != nil }
      return isOwn ? unique.union(names).sorted() : nil
    }
    return wider
  }

  /// Returns the objects with unsaved changes that remain after their merges, each once.
  private func changedObjects(
    among own: [any PersistentModel],
    _ merges: PendingMerges
  ) -> [T] {
    var seen = merges.replaced
    return own.compactMap { $0 as? T }.filter { model in
      !model.isDeleted && model.registration?.context === context
        && seen.insert(ObjectIdentifier(model)).inserted
    }
  }

  /// Whether the filter reads attributes of the fetched objects alone.
  ///
  /// The stored rows that a new object will replace then do not affect whether it is in the result.
  private var readsOnlyOwnValues: Bool {
    query.readsOwnValues(context.core.schema.storeSchema)
  }

  private func live(_ query: StoreQuery) throws -> (models: [T], merges: PendingMerges) {
    let merges = try PendingMerges(in: context)
    let all = StoreQuery(entity: query.entity, properties: propertiesForEvaluation)
    let stored: [T] = try context.loader.objects(of: all, from: registration)
    let candidates = (stored + context.pending.inserted.compactMap { $0 as? T }).filter {
      !$0.isDeleted && !merges.replaced.contains(ObjectIdentifier($0))
    }
    let live = LiveEvaluation(context: context, merges: merges)
    return (try live.evaluate(query, over: candidates), merges)
  }

  /// Whether anything that the store does not do itself is an error.
  private var requiresNative: Bool { descriptor.requiresNative || context.requiresNativeFetches }

  /// Throws if a selection must be computed by the store and is not.
  func checkNative(_ selection: StoreSelection) throws {
    if requiresNative { try Self.refuse(unlessNative: explanation(of: selection)) }
  }

  private static func refuse(unlessNative explanation: FetchExplanation) throws {
    guard !explanation.isNative else { return }
    throw DataStoreError(
      .unsupportedFeature,
      "the fetch requires that the store alone computes the results, and it does "
        + "not:\n\(explanation)",
      entity: explanation.query.entity
    )
  }
}

extension QueryExpression {
  /// Whether an object is read other than for the value of a property.
  var readsObject: Bool {
    switch self {
    case .element: true
    case .property(.element, _): false
    default: children.contains(where: \.readsObject)
    }
  }
}
