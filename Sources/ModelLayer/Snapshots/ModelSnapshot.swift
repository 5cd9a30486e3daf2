import StoreProtocol

/// A copy of a model's values that may go anywhere: to other actors, into a file, over a network.
///
/// `ModelSnapshot<Trip>` is the snapshot of `Trip`. Its properties are those of the model, typed and
/// found by key path; relationships hold snapshots of the objects at the other end:
///
/// ```swift
/// @ModelActor actor Trips {
///   func all() throws -> [ModelSnapshot<Trip>] {
///     try modelContext.fetch(FetchDescriptor<Trip>()).map { try $0.snapshot(including: \.items) }
///   }
/// }
/// let trips = try await worker.all()
/// print(trips[0].name, trips[0].items.map(\.title))
/// ```
///
/// A snapshot says something of each property, or nothing. What it says nothing of reads as the
/// initial value of the declaration, else as nil, zero or emptiness, and is left alone by
/// ``ModelContext/upsert(_:)->Model``. A snapshot that says nothing but its identifier
/// is a reference; see ``isReference``. A model's own property with the name of a member of this
/// type is reached as `snapshot[dynamicMember: \.name]`.
@dynamicMemberLookup
public struct ModelSnapshot<Model: PersistentModel>: Sendable, Hashable {
  /// What the snapshot holds.
  var record: SnapshotRecord

  init(_ record: SnapshotRecord) {
    self.record = record
  }

  /// Creates a snapshot that says nothing, to be filled.
  public init() {
    record = SnapshotRecord(ModelLayout.of(Model.self), identifier: nil)
  }

  /// Creates a reference to a stored object.
  public init(_ identifier: PersistentIdentifier) {
    record = SnapshotRecord(ModelLayout.of(Model.self), identifier: identifier)
  }

  /// The object that the snapshot is of, nil for one that was put together or decoded without.
  ///
  /// The identifier of an object that was not saved is temporary, and found again only until the
  /// save: save first, then take snapshots.
  public var persistentModelID: PersistentIdentifier? {
    get { record.identifier }
    set { record.identifier = newValue }
  }

  /// The number of the save that last changed the object when the snapshot was taken, or `nil` for
  /// an unsaved object and a store without versions.
  ///
  /// Use it as an entity tag: a snapshot with a version that the object no longer has is stale, and
  /// the context's ``ModelContext/mergePolicy`` says what ``ModelContext/upsert(_:)->Model`` does with
  /// it. Equality does not consider it.
  ///
  /// ```swift
  /// patch.version = ifMatchHeader.flatMap { Int64($0) }
  /// ```
  public var version: Int64? {
    get { record.version }
    set { record.version = newValue }
  }

  /// Whether the snapshot says nothing but which object it is of.
  public var isReference: Bool {
    record.identifier != nil && record.contents.allSatisfy { $0 == .absent }
  }

  /// The name of the entity: that of a model that inherits from `Model` where the object was one.
  public var entityName: String { record.layout.entityName }

  /// The same snapshot as one of another model of the hierarchy, with the properties of that.
  ///
  /// - Returns: Nil where the object is none of that model.
  public func `as`<Other: PersistentModel>(_ type: Other.Type) -> ModelSnapshot<Other>? {
    record.layout.inherits(from: ModelLayout.of(type)) ? ModelSnapshot<Other>(record) : nil
  }

  /// Whether the snapshot says something of a property; of a relationship, holds its objects.
  public func holds(_ property: PartialKeyPath<Model>) -> Bool {
    guard let index = record.index(of: property, in: Model.self) else { return false }
    switch record.contents[index] {
    case .absent, .unfollowed: return false
    case .value, .refused, .objects: return true
    }
  }

  /// A copy that says nothing of some properties.
  ///
  /// They are not encoded, and an object that is there already keeps its own values of them.
  public func without(_ properties: PartialKeyPath<Model>...) -> ModelSnapshot {
    var copy = self
    for property in properties {
      guard let index = record.index(of: property, in: Model.self) else { continue }
      copy.record.contents[index] = .absent
    }
    return copy
  }
}

extension PersistentModel {
  /// A copy of the object's values, with the identifiers of related objects.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` for a value that cannot be encoded, a
  ///   relationship that cannot be loaded, and an object that is gone.
  /// - Complexity: Loads the relationships of the object, and with them those of the objects that
  ///   were fetched along.
  public func snapshot() throws -> ModelSnapshot<Self> {
    var taking = SnapshotTaking(following: [])
    return ModelSnapshot(try taking.record(of: self))
  }

  /// A copy of the object's values, with those of the objects of chosen relationships.
  ///
  /// ```swift
  /// let copy = try trip.snapshot(including: \.items, \Item.tags)
  /// ```
  ///
  /// A relationship is followed wherever an object that has it is met, 64 levels down at most. An
  /// object that leads back to itself is given as a reference there; one that is met a second time
  /// elsewhere, with its values and the identifiers of its related objects.
  ///
  /// - Parameters:
  ///   - relationship: A relationship of this model.
  ///   - others: Relationships of this and of other models.
  /// - Returns: The copy.
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a key path to anything but a relationship,
  ///   and what ``snapshot()`` throws.
  public func snapshot(
    including relationship: PartialKeyPath<Self>,
    _ others: AnyKeyPath...
  ) throws -> ModelSnapshot<Self> {
    var taking = SnapshotTaking(
      following: try Set(([relationship] + others).map(SnapshotTaking.relationship))
    )
    return ModelSnapshot(try taking.record(of: self))
  }
}
