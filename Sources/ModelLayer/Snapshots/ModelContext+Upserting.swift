import ModelRuntime
import StoreProtocol

extension ModelContext {
  /// Updates the object of a snapshot to the snapshot's values, or inserts it.
  ///
  /// ```swift
  /// let trip = try context.upsert(JSONDecoder().decode(ModelSnapshot<Trip>.self, from: body))
  /// try context.save()
  /// ```
  ///
  /// The object is found by the snapshot's identifier, else by the values of a unique constraint,
  /// also among unsaved objects. If neither finds one, a new object is inserted. Properties that
  /// the snapshot lacks then have the initial values of their declarations. Only values that differ
  /// are set.
  ///
  /// Relationships that the snapshot contains are updated. Their objects are upserted in turn and
  /// get the snapshot's order; objects that it lacks are removed from the relationship. All other
  /// properties are unchanged. Like other changes these take effect at the next save.
  ///
  /// A snapshot whose ``ModelSnapshot/version`` differs from the object's is stale. Under
  /// ``MergePolicy/error`` it is refused, and under ``MergePolicy/storeWins`` it changes nothing. A
  /// closure of ``MergePolicy/resolve(_:)`` decides, with no base values. Under the other policies
  /// the later change wins.
  ///
  /// - Returns: The object.
  /// - Throws: `SwiftDataError.modelValidationFailure` for a value that cannot be encoded; for a
  ///   missing value that a new object needs; for a constant that would change; for a reference to
  ///   an object that is not stored; for a model that the schema lacks or that is not the object's;
  ///   ``DataStoreError/invalidValue`` for a value that does not fit; ``DataStoreError/conflict``
  ///   for a stale snapshot under ``MergePolicy/error``; and errors of the store. Earlier changes
  ///   of the call then stay unsaved; ``rollback()`` reverts them.
  /// - Complexity: One query for all objects of an entity that are found by identifier, and one for
  ///   each object and constraint that are not.
  @discardableResult
  public func upsert<Model>(_ snapshot: ModelSnapshot<Model>) throws -> Model {
    var upsert = try Upsert([snapshot.record], in: state)
    return try upsert.model(for: snapshot)
  }

  /// Updates a given object to a snapshot's values, whatever its unique values.
  ///
  /// ```swift
  /// let decoder = JSONDecoder()
  /// decoder.userInfo[.partialSnapshots] = true
  /// try context.apply(decoder.decode(Trip.Snapshot.self, from: body), to: trip)
  /// ```
  ///
  /// The object is updated as by ``upsert(_:)->Model``: only values that differ are set, properties
  /// that the snapshot lacks are unchanged, and the merge policy resolves a stale snapshot.
  ///
  /// - Parameters:
  ///   - snapshot: The values, without an identifier or with that of the object.
  ///   - model: An object of this context.
  /// - Throws: `SwiftDataError.modelValidationFailure` for a snapshot of another object and an
  ///   object of another context, and errors of ``upsert(_:)->Model``.
  public func apply<Model>(_ snapshot: ModelSnapshot<Model>, to model: Model) throws {
    guard model.registration?.context === state else {
      throw SwiftDataError.modelValidationFailure.with(
        "\(model.persistentModelID) is not registered in this context; fetch or insert it first",
        entity: Schema.entityName(for: Model.self)
      )
    }
    var upsert = try Upsert([snapshot.record], in: state)
    try upsert.update(model, to: snapshot.record)
  }

  /// Updates the objects of snapshots to the snapshots' values, or inserts them.
  ///
  /// Each is treated as by ``upsert(_:)->Model``, with fewer queries.
  ///
  /// - Returns: The objects, in the order of the snapshots.
  @discardableResult
  public func upsert<Model>(_ snapshots: some Sequence<ModelSnapshot<Model>>) throws -> [Model] {
    let snapshots = Array(snapshots)
    var upsert = try Upsert(snapshots.map(\.record), in: state)
    return try snapshots.map { try upsert.model(for: $0) }
  }

  /// Inserts a new object with the values of a snapshot, regardless of the snapshot's identifier.
  ///
  /// The snapshot's relationships are treated as by ``upsert(_:)->Model``. A new object with the
  /// unique values of a stored one becomes an update of it when it is saved.
  ///
  /// - Returns: The new object.
  /// - Throws: Errors of ``upsert(_:)->Model``.
  @discardableResult
  public func insert<Model>(_ snapshot: ModelSnapshot<Model>) throws -> Model {
    var upsert = try Upsert([snapshot.record], in: state)
    return try upsert.model(for: snapshot, isNew: true)
  }
}
