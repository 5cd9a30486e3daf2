import Foundation
import StoreProtocol

/// New objects of one entity, of which a store takes the records itself.
///
/// A class, since a copy would count a reference to each thing in it.
final class ObjectSource: RecordSource {
  /// The place of the objects.
  let registration: EntityRegistration
  /// The objects, in the order of their insertion.
  let models: [any PersistentModel]
  private let properties: Int

  /// Takes new objects.
  init(_ run: EntityRun) {
    registration = run.registration
    models = Array(run.models)
    properties = registration.layout.properties.count
  }

  var entityName: String { registration.entity.name }

  var count: Int { models.count }

  func write(_ position: Int, to writer: RowWriter) {
    let model = models[position]
    for index in 0..<properties { model._$write(index, to: writer) }
  }

  /// Whether a property is an attribute of a type that is written without code of the program.
  static func isPlain(_ property: ModelLayout.Property) -> Bool {
    let type = type(of: property.keyPath).valueType
    return plainTypes.contains(ObjectIdentifier((type as? any OptionalType.Type)?.wrapped ?? type))
  }

  private static let plainTypes: Set<ObjectIdentifier> = Set(
    [
      Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self,
      UInt16.self, UInt32.self, UInt64.self, Double.self, Float.self, String.self, Date.self,
      Data.self, UUID.self, URL.self, Decimal.self,
    ].map { (type: Any.Type) in ObjectIdentifier(type) }
  )
}

/// Changed objects of one entity, all with changes of the same properties.
final class ObjectUpdates: UpdateSource {
  let entityName: String
  let properties: [Int]
  let keys: [Int64]
  private let models: ArraySlice<any PersistentModel>

  private init(_ registration: EntityRegistration, _ models: ArraySlice<any PersistentModel>) {
    entityName = registration.entity.name
    properties = (models.first?.dirtyIndices ?? []).filter {
      !registration.ephemerals.contains($0)
    }
    keys = models.map { $0._$state.key }
    self.models = models
  }

  var count: Int { models.count }

  func write(_ position: Int, to writer: RowWriter) {
    let model = models[models.startIndex + position]
    for index in properties { model._$write(index, to: writer) }
  }

  /// Changed objects, those that stand together and are changed alike in one source.
  static func sources(of run: EntityRun) -> [ObjectUpdates] {
    var sources: [ObjectUpdates] = []
    var rest = run.models
    while let first = rest.first {
      let dirty = first._$state.dirty
      let end = rest.firstIndex { $0._$state.dirty != dirty } ?? rest.endIndex
      sources.append(ObjectUpdates(run.registration, rest[..<end]))
      rest = rest[end...]
    }
    return sources.filter { !$0.properties.isEmpty }
  }
}

extension PendingObjects {
  /// Whether stores take the values of all new and changed objects from these.
  ///
  /// The bit of the last property may stand for several.
  var takeSources: Bool {
    insertedRuns.allSatisfy { $0.registration.takesSources }
      && changedRuns.allSatisfy { run in
        run.registration.takesSources
          && run.models.allSatisfy {
            $0._$state.key != .min && $0._$state.dirty & _ModelState.bit(63) == 0
          }
      }
  }
}

extension SavePlan.Batch {
  /// The same with the values that stores take from objects, as these are now.
  func withRecords() throws -> SavePlan.Batch {
    let models = sources.flatMap(\.models)
    let changing = updates.isEmpty ? [] : changed
    let records = try SavePlan.records(inserted: models, changed: changing)
    var batch = self
    batch.changes.inserted += records.inserted
    batch.changes.updated += records.updated
    return batch
  }

  /// What a store answered, with the identifier of each record where it gave keys to whole sources.
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
