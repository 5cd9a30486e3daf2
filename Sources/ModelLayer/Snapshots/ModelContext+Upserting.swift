import StoreProtocol

extension ModelContext {
  /// Brings the object that a snapshot is of to what the snapshot says, or makes it.
  ///
  /// ```swift
  /// let trip = try context.upsert(JSONDecoder().decode(Trip.Snapshot.self, from: body))
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
  /// - Returns: The object.
  /// - Throws: `SwiftDataError.modelValidationFailure` for a value that cannot be encoded, a missing
  ///   value that a new object needs, a constant that would change, a reference to an object that
  ///   is not stored, and a model that the schema lacks or that the object is none of;
  ///   ``DataStoreError/invalidValue`` for a value that does not fit; and what the store throws. What
  ///   was changed before then stays unsaved; ``rollback()`` takes it back.
  /// - Complexity: One query for all objects of an entity that are found by identifier, and one for
  ///   each object and constraint that are not.
  @discardableResult
  public func upsert<Model>(_ snapshot: ModelSnapshot<Model>) throws -> Model {
    var upsert = Upsert(in: state)
    try upsert.gather([snapshot.record])
    return try upsert.model(for: snapshot)
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
