import ModelRuntime
import StoreProtocol

/// The state of an object in its context and its store.
///
/// | on ↓ in → | transient | inserted | registered | changed | deleted | detached | vanished |
/// |---|---|---|---|---|---|---|---|
/// | insert | inserted | inserted | registered | changed | registered | inserted | inserted |
/// | read | – | – | – | – | – | – | – |
/// | set | transient | inserted | changed | changed | deleted | detached | vanished |
/// | delete | transient | deleted | deleted | deleted | deleted | detached | vanished |
/// | save | transient | registered | registered | registered | vanished | detached | vanished |
/// | rollback | transient | transient | registered | registered | registered | detached | vanished |
/// | refresh | transient | inserted | registered | changed | deleted | detached | vanished |
/// | reset | transient | transient | detached | detached | detached | detached | vanished |
/// | context ends | transient | transient | registered | detached | detached | detached | vanished |
/// | deleted elsewhere | transient | inserted | vanished | changed | deleted | detached | vanished |
///
/// ``LifeCycle/after(_:)`` is this table, and a test compares the code with each of its fields.
/// Reading changes no state. A change of a deleted object is kept, and takes effect when the
/// deletion is reverted. An object that was deleted before it was ever saved has no row: after a
/// rollback it is transient. A detached or vanished object that is inserted becomes a new one, with
/// a new identity.
///
/// In every state every property can be read and set. Attributes have their last values. An object
/// without a context may have relationships that were not loaded, or that were released. These read
/// as `nil`, as empty, or, if they are required, as a stand-in with placeholder values, whose
/// ``PersistentModel/isDeleted`` is true.
public enum LifeCycle: String, Sendable, CaseIterable {
  /// The program created the object, and it belongs to no context.
  case transient
  /// The object is new in its context, and the next save stores it.
  case inserted
  /// The object represents its row, and has no unsaved changes.
  case registered
  /// The object represents its row, and has unsaved changes.
  case changed
  /// The next save removes the object.
  case deleted
  /// The object was saved, and left its context with its last values.
  case detached
  /// The object's row does not exist; the object has its last values and no context.
  case vanished

  /// An event that can change the state of an object.
  public enum Event: String, Sendable, CaseIterable {
    /// It is inserted into a context.
    case insert
    /// A property is read.
    case read
    /// A property is set.
    case set
    /// It is deleted in its context.
    case delete
    /// Its context is saved.
    case save
    /// Its context is rolled back.
    case rollback
    /// It is refreshed with its unsaved changes kept, and its row exists.
    case refresh
    /// Its context drops all objects.
    case reset
    /// Its context ends, while the program holds the object.
    case contextEnds
    /// Another context deletes its row, and its own context learns of it by a fetch.
    case deletedElsewhere
  }

  /// Returns the state after an event.
  public func after(_ event: Event) -> LifeCycle {
    switch (self, event) {
    case (_, .read): self
    case (.transient, .insert), (.detached, .insert), (.vanished, .insert): .inserted
    case (.deleted, .insert): .registered
    case (.registered, .set): .changed
    case (.inserted, .delete), (.registered, .delete), (.changed, .delete): .deleted
    case (.inserted, .save), (.changed, .save): .registered
    case (.deleted, .save): .vanished
    case (.inserted, .rollback), (.inserted, .reset), (.inserted, .contextEnds): .transient
    case (.changed, .rollback), (.deleted, .rollback): .registered
    case (.registered, .reset), (.changed, .reset), (.deleted, .reset): .detached
    case (.changed, .contextEnds), (.deleted, .contextEnds): .detached
    case (.registered, .deletedElsewhere): .vanished
    default: self
    }
  }
}

extension PersistentModel {
  /// The state of the object in its context and its store.
  public var lifeCycle: LifeCycle {
    let flags = _$state.flags
    guard _$state.registration != nil else {
      if !flags.isDisjoint(with: [.deleted, .vanished]) { return .vanished }
      let identifier = _$state.ownIdentifier
      return identifier.map(\.isTemporary) ?? true ? .transient : .detached
    }
    if flags.contains(.deleted) { return .deleted }
    if flags.contains(.inserted) { return .inserted }
    return flags.contains(.changed) ? .changed : .registered
  }

  /// A Boolean value that indicates whether the object was saved and has left its context.
  public var isDetached: Bool { lifeCycle == .detached }

  /// Returns the object itself if it represents a row, or will at the next save.
  ///
  /// ```swift
  /// let trip = try trip.require()
  /// ```
  ///
  /// It does not query the store; ``ModelContext/refresh(_:mergeChanges:)`` does that.
  ///
  /// - Throws: ``SwiftDataError/missingModelContext`` for an object that is deleted, whose row no
  ///   longer exists, or that belongs to no context. The message says which.
  @discardableResult
  public func require() throws -> Self {
    let reason: String
    switch lifeCycle {
    case .inserted, .registered, .changed: return self
    case .transient: reason = "was not inserted; insert it into a context"
    case .deleted: reason = "is deleted; insert it again to keep it"
    case .detached: reason = "was removed from its context; fetch it by its identifier"
    case .vanished: reason = "is no longer stored; insert it to store it as a new object"
    }
    throw SwiftDataError.missingModelContext.with(
      "\(persistentModelID) \(reason)",
      entity: persistentModelID.entityName
    )
  }
}
