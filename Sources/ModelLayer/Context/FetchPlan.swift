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
  /// Whether the predicate must be evaluated over objects, since no query says what it says.
  private let evaluatesPredicate: Bool
  private let strategy: Strategy

  private enum Strategy {
    /// The store's answer is the answer.
    case stored
    /// Unsaved objects of the fetched models themselves are merged into the store's answer.
    case merged
    /// All objects are fetched and looked at as they are now.
    case live
  }

  init(_ descriptor: FetchDescriptor<T>, in context: ContextState) throws {
    guard let registration = context.registration(for: T.self) else {
      throw SwiftDataError.unsupportedPredicate.with(
        "the container's schema lacks this model; name it where the container is made",
        entity: Schema.entityName(for: T.self)
      )
    }
    self.context = context
    self.registration = registration
    self.descriptor = descriptor
    context.absorbSavesOfOthers()
    if descriptor.includePendingChanges { context.processPendingChanges() }
    do {
      query = try StoreQuery(descriptor, schema: context.core.schema)
      evaluatesPredicate = false
    } catch SwiftDataError.unsupportedPredicate {
      var unfiltered = descriptor
      unfiltered.predicate = nil
      query = try StoreQuery(unfiltered, schema: context.core.schema)
      evaluatesPredicate = true
    }
    strategy = Self.strategy(
      for: query,
      evaluatesPredicate,
      descriptor.includePendingChanges,
      context,
      registration
    )
  }

  private static func strategy(
    for query: StoreQuery,
    _ evaluatesPredicate: Bool,
    _ includesPending: Bool,
    _ context: ContextState,
    _ registration: EntityRegistration
  ) -> Strategy {
    if evaluatesPredicate { return .live }
    guard includesPending, context.hasChanges else { return .stored }
    if query.navigatesRelationships(in: context.core.schema.storeSchema) { return .live }
    let root = registration.entity.root
    let concerns = context.pending.all.contains { $0.registration?.entity.root == root }
    return concerns ? .merged : .stored
  }

  /// The objects of the answer.
  func models() throws -> [T] {
    switch strategy {
    case .stored: try stored(query)
    case .merged: try merged()
    case .live: try live()
    }
  }

  /// The size of the answer.
  func count() throws -> Int {
    if case .stored = strategy { return try registration.backend.count(query) }
    return try models().count
  }

  /// The identifiers of the answer.
  func identifiers() throws -> [PersistentIdentifier] {
    if case .stored = strategy { return try registration.backend.identifiers(query) }
    return try models().map(\.persistentModelID)
  }

  private func stored(_ query: StoreQuery) throws -> [T] {
    var result: [T] = []
    try context.read(query, from: registration) { model in
      if let model = model as? T { result.append(model) }
    }
    return result
  }

  private func merged() throws -> [T] {
    let own = context.pending.all.filter {
      $0.registration?.entity.root == registration.entity.root
    }
    let touched = Set(own.map(ObjectIdentifier.init))
    var wider = query
    wider.offset = 0
    wider.limit = query.limit.flatMap { limit in
      let (sum, overflows) = limit.addingReportingOverflow(query.offset + touched.count)
      return overflows ? nil : sum
    }
    let unchanged = try stored(wider).filter { !touched.contains(ObjectIdentifier($0)) }
    var seen: Set<ObjectIdentifier> = []
    let changed = own.compactMap { $0 as? T }.filter { model in
      !model.isDeleted && model.registration?.context === context
        && seen.insert(ObjectIdentifier(model)).inserted
    }
    let live = LiveAnswering(context: context)
    let matching = try live.filter(changed, by: query)
    return try live.window(live.sort(unchanged + matching, by: query), of: query)
  }

  private func live() throws -> [T] {
    var all = query
    all.filter = nil
    all.sort = []
    all.offset = 0
    all.limit = nil
    var candidates = try stored(all)
    if descriptor.includePendingChanges {
      candidates = candidates.filter { !$0.isDeleted }
      candidates += context.pending.inserted.compactMap { $0 as? T }
    }
    let live = LiveAnswering(context: context)
    var matching = try live.filter(candidates, by: query)
    if evaluatesPredicate, let predicate = descriptor.predicate {
      matching = try matching.filter { try predicate.evaluate($0) }
    }
    return try live.window(live.sort(matching, by: query), of: query)
  }
}
