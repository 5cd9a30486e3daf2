import StoreProtocol

extension ModelContext {
  /// Brings the object that a snapshot is of to what the snapshot says, or makes it.
  ///
  /// ```swift
  /// let trip = try context.upsert(JSONDecoder().decode(ModelSnapshot<Trip>.self, from: body))
  /// try context.save()
  /// ```
  ///
  /// The object is found by the snapshot's identifier, else by the values of a unique constraint,
  /// among unsaved objects too; where neither leads to one, a new object is inserted, with the
  /// initial values of its declaration where the snapshot says nothing. Only values that differ are
  /// set. Relationships that the snapshot holds are brought in step: their objects are upserted in
  /// turn, come in the snapshot's order, and those that it lacks leave the relationship. Of all
  /// else that the snapshot says nothing the object keeps what it has. Like other changes these
  /// take effect at the next save.
  ///
  /// A snapshot with a ``ModelSnapshot/version`` that the object no longer has is stale. Under
  /// ``MergePolicy/error`` it is refused, under ``MergePolicy/storeWins`` it changes nothing, and a
  /// closure of ``MergePolicy/resolve(_:)`` decides, with no base values; under the other policies
  /// the later change wins.
  ///
  /// - Returns: The object.
  /// - Throws: `SwiftDataError.modelValidationFailure` for a value that cannot be encoded, a missing
  ///   value that a new object needs, a constant that would change, a reference to an object that
  ///   is not stored, and a model that the schema lacks or that the object is none of;
  ///   ``DataStoreError/invalidValue`` for a value that does not fit; ``DataStoreError/conflict`` for
  ///   a stale snapshot under ``MergePolicy/error``; and what the store throws. What
  ///   was changed before then stays unsaved; ``rollback()`` takes it back.
  /// - Complexity: One query for all objects of an entity that are found by identifier, and one for
  ///   each object and constraint that are not.
  @discardableResult
  public func upsert<Model>(_ snapshot: ModelSnapshot<Model>) throws -> Model {
    var upsert = Upsert(in: state)
    try upsert.gather([snapshot.record])
    return try upsert.model(for: snapshot)
  }

  /// Brings a given object to what a snapshot says, whatever its unique values.
  ///
  /// ```swift
  /// let decoder = JSONDecoder()
  /// decoder.userInfo[.partialSnapshots] = true
  /// try context.apply(decoder.decode(Trip.Snapshot.self, from: body), to: trip)
  /// ```
  ///
  /// The object is treated as ``upsert(_:)->Model`` treats the one that it finds: only values that
  /// differ are set, what the snapshot says nothing of stays, and a stale snapshot is settled by the
  /// merge policy.
  ///
  /// - Parameters:
  ///   - snapshot: The values, without an identifier or with that of the object.
  ///   - model: An object of this context.
  /// - Throws: `SwiftDataError.modelValidationFailure` for a snapshot of another object and an object
  ///   of another context, and what ``upsert(_:)->Model`` throws.
  public func apply<Model>(_ snapshot: ModelSnapshot<Model>, to model: Model) throws {
    guard model.registration?.context === state else {
      throw SwiftDataError.modelValidationFailure.with(
        "\(model.persistentModelID) is no object of this context; fetch or insert it first",
        entity: Schema.entityName(for: Model.self)
      )
    }
    var upsert = Upsert(in: state)
    try upsert.gather([snapshot.record])
    try upsert.apply(snapshot.record, to: model)
  }

  /// Brings the objects that snapshots are of to what the snapshots say, or makes them.
  ///
  /// Each is treated as ``upsert(_:)->Model`` does, with fewer queries.
  ///
  /// - Returns: The objects, in the order of the snapshots.
  @discardableResult
  public func upsert<Model>(_ snapshots: some Sequence<ModelSnapshot<Model>>) throws -> [Model] {
    let snapshots = Array(snapshots)
    var upsert = Upsert(in: state)
    try upsert.gather(snapshots.map(\.record))
    return try snapshots.map { try upsert.model(for: $0) }
  }

  /// Inserts a new object with the values of a snapshot, whatever object that is of.
  ///
  /// The snapshot's relationships are treated as ``upsert(_:)->Model`` does. A new
  /// object with the unique values of a stored one becomes an update of that when it is saved.
  ///
  /// - Returns: The new object.
  /// - Throws: What ``upsert(_:)->Model`` throws.
  @discardableResult
  public func insert<Model>(_ snapshot: ModelSnapshot<Model>) throws -> Model {
    var upsert = Upsert(in: state)
    try upsert.gather([snapshot.record])
    return try upsert.model(for: snapshot, isNew: true)
  }
}
