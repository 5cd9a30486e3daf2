import Foundation
import ModelRuntime
import StoreProtocol

/// New objects of one entity, from which a store reads the records directly.
///
/// A class, since a copy would count a reference to each thing in it.
// Unchecked: stores read the objects only while the context waits for them.
final class ObjectRowProducer: RowProducer, @unchecked Sendable {
  let registration: EntityRegistration
  /// The objects, in the order of their insertion.
  let models: ArraySlice<any PersistentModel>
  private let properties: Int

  /// Creates a source of new objects.
  init(_ run: EntityRun) {
    registration = run.registration
    models = run.models
    properties = registration.layout.properties.count
    let relationships = registration.relationshipIndices
    guard !relationships.isEmpty else { return }
    for model in models where model._$state.flags.contains(.hasPendingMembers) {
      for index in relationships { model.mergePendingMembers(index) }
    }
  }

  var entityName: String { registration.entity.name }

  var count: Int { models.count }

  func write(_ position: Int, to writer: RowWriter) {
    let model = models[models.startIndex + position]
    for index in 0..<properties { model._$write(index, to: writer) }
  }
}

/// Changed objects of one entity, all with changes of the same properties.
// Unchecked: stores read the objects only while the context waits for them.
final class ObjectUpdates: UpdateProducer, @unchecked Sendable {
  let entityName: String
  let properties: [Int]
  let keys: [Int64]
  private let models: ArraySlice<any PersistentModel>

  private init(
    _ registration: EntityRegistration,
    _ models: ArraySlice<any PersistentModel>,
    keys: [Int64]
  ) {
    entityName = registration.entity.name
    properties = (models.first?.dirtyIndices ?? []).filter {
      !registration.ephemerals.contains($0)
    }
    self.keys = keys
    self.models = models
  }

  var count: Int { models.count }

  func write(_ position: Int, to writer: RowWriter) {
    let model = models[models.startIndex + position]
    for index in properties { model._$write(index, to: writer) }
  }

  /// Returns sources of changed objects, or `nil` if more than attributes was changed.
  ///
  /// Consecutive objects with changes of the same properties are in one source.
  static func sources(of run: EntityRun) -> [ObjectUpdates]? {
    // The bit of the last property may represent several.
    let others = run.registration.relationships | _ModelState.bit(63)
    let models = run.models
    var sources: [ObjectUpdates] = []
    var start = models.startIndex
    var keys: [Int64] = []
    keys.reserveCapacity(models.count)
    var last: UInt64?
    for index in models.indices {
      let mark = run.marks?[index] ?? Self.mark(of: models[index]._$state)
      let (dirty, key) = (mark.dirty, mark.key)
      guard dirty & others == 0, key != .min else { return nil }
      if let last, last != dirty {
        sources.append(ObjectUpdates(run.registration, models[start..<index], keys: keys))
        start = index
        keys = []
      }
      last = dirty
      keys.append(key)
    }
    sources.append(ObjectUpdates(run.registration, models[start...], keys: keys))
    return sources.filter { !$0.properties.isEmpty }
  }

  /// Returns the key and the changes of an object, with one access of its state.
  @inline(__always)
  private static func mark(of state: borrowing _ModelState) -> EntityRun.Mark {
    EntityRun.Mark(key: state.key, dirty: state.dirty)
  }
}

extension PendingObjects {
  /// Whether stores read the values of all new objects directly from these.
  var readSources: Bool {
    (insertedRuns + changedRuns).allSatisfy(\.registration.readsSources)
  }

  /// The sources of each run of changed objects, or `nil` if more than attributes was changed.
  var updateSources: [[ObjectUpdates]]? {
    var all: [[ObjectUpdates]] = []
    for run in changedRuns {
      guard let sources = ObjectUpdates.sources(of: run) else { return nil }
      all.append(sources)
    }
    return all
  }
}

extension SavePlan.Batch {
  /// Returns the batch with records of the current values that stores would read from objects.
  func withRecords() throws -> SavePlan.Batch {
    let records = try SavePlan.records(
      inserted: sources.isEmpty ? [] : inserted,
      changed: updates.isEmpty ? [] : changed
    )
    var batch = self
    batch.changes.inserted += records.inserted
    batch.changes.updated += records.updated
    return batch
  }

  /// The sources from which stores read values directly.
  private var changeSources: RowProducers {
    let areReferredTo =
      !changes.updated.isEmpty || sources.contains(where: \.registration.hasRelationships)
    return RowProducers(
      inserted: sources,
      numbers: areReferredTo ? sources.flatMap { $0.models.map { $0._$state.key } } : [],
      updated: updates
    )
  }

  /// Applies the batch to its store, all or nothing; snapshots of other types read related objects.
  func apply(_ related: @autoclosure () -> RelatedObjects) throws -> StoreChangesResult {
    var changes = changes
    changes.sources = changeSources
    if let adapter = store as? any AdaptedStore { return try adapter.apply(changes, related()) }
    // The store's own files keep the kinds of values, whichever store is being called.
    return try TypedSnapshotCoding.$current.withValue(nil) { try store.apply(changes) }
  }

  /// Returns a store's result, with the identifier of each record if it assigned keys to whole
  /// sources.
  func named(_ result: StoreChangesResult) -> StoreChangesResult {
    var result = result
    var records = changes.inserted[...]
    for (source, firstKey) in zip(sources, result.firstKeys) {
      for (key, record) in zip(firstKey..., records.prefix(source.count)) {
        result.remapped[record.persistentIdentifier] = PersistentIdentifier(
          scope: source.registration.scope,
          key: .integer(key)
        )
      }
      records = records.dropFirst(source.count)
    }
    return result
  }
}
