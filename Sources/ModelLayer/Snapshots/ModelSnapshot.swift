import ModelRuntime
import StoreProtocol

/// A copy of a model's values that can be passed to other actors, into a file, or over a network.
///
/// `ModelSnapshot<Trip>` is the snapshot of `Trip`. Its properties are those of the model, typed
/// and accessed by key path; relationships contain snapshots of the objects at the other end:
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
/// A snapshot contains each property, or lacks it. A missing property reads as the initial value of
/// the declaration, else as `nil`, zero or empty, and ``ModelContext/upsert(_:)->Model`` leaves it
/// unchanged. A snapshot with an identifier alone is a reference; see ``isReference``. A model's
/// own property with the name of a member of this type is accessed as `snapshot[dynamicMember:
/// \.name]`.
@dynamicMemberLookup
public struct ModelSnapshot<Model: PersistentModel>: Sendable, Hashable {
  var record: SnapshotRecord

  init(_ record: SnapshotRecord) {
    self.record = record
  }

  /// Creates a snapshot without any property, to be filled.
  public init() {
    record = SnapshotRecord(ModelLayout.of(Model.self), identifier: nil)
  }

  /// Creates a reference to a stored object.
  public init(_ identifier: PersistentIdentifier) {
    record = SnapshotRecord(ModelLayout.of(Model.self), identifier: identifier)
  }

  /// The identifier of the object, or `nil` if the snapshot was built or decoded without one.
  ///
  /// The identifier of an unsaved object is temporary, and valid only until the save: save first,
  /// then take snapshots.
  public var persistentModelID: PersistentIdentifier? {
    get { record.identifier }
    set { record.identifier = newValue }
  }

  /// The number of the save that last changed the object, or `nil` if there is none.
  ///
  /// The version is that of the time when the snapshot was taken. An unsaved object and a store
  /// without versions have none. Use it as an entity tag: a snapshot whose version differs from the
  /// object's is stale. The context's ``ModelContext/mergePolicy`` then determines how
  /// ``ModelContext/upsert(_:)->Model`` treats it. Equality does not consider it.
  ///
  /// ```swift
  /// patch.version = ifMatchHeader.flatMap { Int64($0) }
  /// ```
  public var version: Int64? {
    get { record.version }
    set { record.version = newValue }
  }

  /// A Boolean value that indicates whether the snapshot contains only the object's identifier.
  public var isReference: Bool {
    record.identifier != nil && record.contents.allSatisfy { $0 == .absent }
  }

  /// The name of the entity: that of the object's own model, which may inherit from `Model`.
  public var entityName: String { record.layout.entityName }

  /// Returns the snapshot as one of another model of the hierarchy, with the properties of that.
  ///
  /// - Returns: The snapshot, or `nil` if the object is not of that model.
  public func `as`<Other: PersistentModel>(_ type: Other.Type) -> ModelSnapshot<Other>? {
    record.layout.inherits(from: ModelLayout.of(type)) ? ModelSnapshot<Other>(record) : nil
  }

  /// Returns whether the snapshot contains a property; for a relationship, whether it contains its
  /// objects.
  public func holds(_ property: PartialKeyPath<Model>) -> Bool {
    guard let index = record.index(of: property, in: Model.self) else { return false }
    switch record.contents[index] {
    case .absent, .unfollowed: return false
    case .value, .refused, .objects: return true
    }
  }

  /// Returns a copy that lacks some properties.
  ///
  /// They are not encoded, and an existing object keeps its own values of them.
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
  /// Returns a copy of the object's values, with the identifiers of related objects.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` for a value that cannot be encoded, a
  ///   relationship that cannot be loaded, and an object that no longer exists.
  /// - Complexity: Loads the relationships of the object, and with them those of the objects that
  ///   were fetched with it.
  public func snapshot() throws -> ModelSnapshot<Self> {
    var builder = SnapshotBuilder(following: [])
    return ModelSnapshot(try builder.record(of: self))
  }

  /// Returns a copy of the object's values, with those of the objects of chosen relationships.
  ///
  /// ```swift
  /// let copy = try trip.snapshot(including: \.items, \Item.tags)
  /// ```
  ///
  /// A relationship is followed in every object that has it, at most 64 levels deep. An object that
  /// refers back to itself is included as a reference there. An object that is reached a second
  /// time elsewhere is included with its values and the identifiers of its related objects.
  ///
  /// - Parameters:
  ///   - relationship: A relationship of this model.
  ///   - others: Relationships of this and of other models.
  /// - Returns: The copy.
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a key path to anything but a relationship,
  ///   and errors of ``snapshot()``.
  public func snapshot(
    including relationship: PartialKeyPath<Self>,
    _ others: AnyKeyPath...
  ) throws -> ModelSnapshot<Self> {
    var builder = SnapshotBuilder(
      following: try SnapshotBuilder.relationships([relationship] + others)
    )
    return ModelSnapshot(try builder.record(of: self))
  }
}
