import ModelRuntime
import StoreProtocol

/// The treatment of snapshots whose objects were changed after they were taken.
enum StaleSnapshot {
  /// Returns the changes of a snapshot to an object under the context's merge policy.
  ///
  /// - Returns: The record, or a part of it, or `nil` if the object is unchanged.
  /// - Throws: ``DataStoreError/conflict`` for a stale snapshot under ``MergePolicy/error``, and
  ///   errors of a closure of ``MergePolicy/resolve(_:)``.
  static func resolved(
    _ record: SnapshotRecord,
    of model: any PersistentModel,
    in context: ContextState
  ) throws -> SnapshotRecord? {
    let stored = model._$state.version
    guard let version = record.version, stored != 0, stored != version else { return record }
    switch context.saver.mergePolicy.kind {
    case .mergeByProperty, .contextWins: return record
    case .storeWins: return nil
    case .error:
      throw MergeConflicts(conflicts: [conflict(record, model)]).error
    case .resolve(let resolve):
      let conflict = conflict(record, model)
      return try resolved(record, by: resolve(conflict), conflict)
    }
  }

  /// Refuses a snapshot with a version whose object no longer exists, under ``MergePolicy/error``.
  ///
  /// - Throws: ``DataStoreError/conflict``.
  static func checkGone(_ record: SnapshotRecord, in context: ContextState) throws {
    guard record.version != nil, let identifier = record.identifier,
      case .error = context.saver.mergePolicy.kind
    else { return }
    let conflict = MergeConflict(identifier: identifier, kind: .deletedThere, properties: [])
    throw MergeConflicts(conflicts: [conflict]).error
  }

  private static func resolved(
    _ record: SnapshotRecord,
    by resolution: MergeResolution,
    _ conflict: MergeConflict
  ) throws -> SnapshotRecord {
    var resolved = record
    switch resolution.start {
    case .error: throw MergeConflicts(conflicts: [conflict]).error
    case .side(.mine): break
    case .side(.theirs):
      resolved.contents = record.contents.map { _ in .absent }
    }
    for (name, choice) in resolution.choices {
      guard let index = record.layout.index(named: name) else { continue }
      switch choice {
      case .side(.mine): resolved.contents[index] = record.contents[index]
      case .side(.theirs): resolved.contents[index] = .absent
      case .value(let value): resolved.contents[index] = .value(value)
      }
    }
    return resolved
  }

  /// Returns the conflict with the attributes of both sides; the values that the snapshot's owner
  /// had read are unknown.
  private static func conflict(
    _ record: SnapshotRecord,
    _ model: any PersistentModel
  ) -> MergeConflict {
    var properties: [MergeConflict.Property] = []
    for (index, property) in record.layout.properties.enumerated() where property.shape == nil {
      guard case .value(let mine) = record.contents[index] else { continue }
      property.read(on: model)
      guard case .value(let theirs) = PropertyReader.content(of: index, in: model) else { continue }
      properties.append(
        MergeConflict.Property(
          name: property.name,
          base: nil,
          mine: mine,
          theirs: theirs,
          isChangedHere: mine != theirs,
          isChangedThere: mine != theirs
        )
      )
    }
    return MergeConflict(
      identifier: model.persistentModelID,
      kind: .changedOnBothSides,
      properties: properties
    )
  }
}
