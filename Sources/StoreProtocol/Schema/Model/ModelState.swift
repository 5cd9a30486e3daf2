/// The state that the engine keeps in every model object.
///
/// One status word answers the two questions of every property access: whether the value can be
/// returned as is, and whether it can be overwritten without a notification.
public struct _ModelState {
  /// Facts about an object, one bit each.
  ///
  /// They are computed properties. For a stored one, other modules would call an accessor for its
  /// address and check its initialization each time.
  @usableFromInline
  package struct Flags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A read must notify the observation machinery.
    @inlinable package static var observable: Flags { Flags(rawValue: 1 << 0) }
    /// The object is observed: a registrar exists.
    @inlinable package static var observed: Flags { Flags(rawValue: 1 << 1) }
    /// A to-many relationship has pending objects to merge.
    @inlinable package static var hasPendingMembers: Flags { Flags(rawValue: 1 << 2) }
    /// The object belongs to a context, which must be notified of its first change.
    @inlinable package static var tracked: Flags { Flags(rawValue: 1 << 3) }
    /// The object was inserted and not saved yet.
    @inlinable package static var inserted: Flags { Flags(rawValue: 1 << 4) }
    /// The object has unsaved changes.
    @inlinable package static var changed: Flags { Flags(rawValue: 1 << 5) }
    /// The object is marked for deletion at the next save.
    @inlinable package static var deleted: Flags { Flags(rawValue: 1 << 6) }
    /// The object's row was deleted, or never existed.
    @inlinable package static var vanished: Flags { Flags(rawValue: 1 << 7) }
    /// Some attributes were left out when the row was read, and are read on access.
    @inlinable package static var partial: Flags { Flags(rawValue: 1 << 8) }
    /// Each change must be recorded, not only the first of a property, because there is an undo
    /// manager.
    @inlinable package static var recorded: Flags { Flags(rawValue: 1 << 9) }
    /// A relationship has its objects for one read only.
    ///
    /// The context has ended, and objects that refer to each other would never be released.
    @inlinable package static var temporary: Flags { Flags(rawValue: 1 << 10) }
    /// Others have saved since the values were read, so that they are read again on access.
    @inlinable package static var outdated: Flags { Flags(rawValue: 1 << 11) }
    /// The object has made-up values, and notes in ``version`` which property is read.
    @inlinable package static var probed: Flags { Flags(rawValue: 1 << 12) }
  }

  /// The facts about the object.
  @usableFromInline package var flags: Flags = .observable
  /// One bit for each changed property; all properties from index 63 on share the last bit.
  @usableFromInline package var dirty: UInt64 = 0
  /// The row number, or the number of the temporary identifier.
  @usableFromInline package var key: Int64 = 0
  /// The version of the row from which the values were read, or 0 for a new object.
  @usableFromInline package var version: Int64 = 0
  /// The object's registration in its context, or `nil` if it has no context.
  @usableFromInline package var registration: _ModelRegistration?
  /// The state that few objects need: registrar, original values, non-integer keys.
  @usableFromInline package var extra: _ModelExtra?

  /// Creates the state of a new object outside any context.
  @inlinable
  public init() {}
}

/// An object's registration in a context; the layer above has the only subclass.
open class _ModelRegistration {
  /// The bits of the relationships, as in ``_ModelState/dirty``.
  package final let relationships: UInt64

  /// Creates a registration.
  public init(relationships: UInt64) { self.relationships = relationships }

  /// Returns the permanent or temporary identifier of a registered object.
  open func identifier(of model: any PersistentModel) -> PersistentIdentifier {
    PersistentIdentifier(.temporary(model._$state.key), of: "")
  }
}

/// The state that only few objects need; the layer above has the only subclass.
open class _ModelExtra {
  /// The identifier of an object whose key is not an integer, or that left its context.
  package var identifier: PersistentIdentifier?
  /// The scope of objects that left their context and need no other state.
  ///
  /// These objects share one immutable extra, and their keys are in their states.
  package let departure: PersistentIdentifier.Scope?

  /// Creates an empty extra.
  package init() { departure = nil }

  /// Creates the shared extra of all saved objects that leave a context.
  package init(departure: PersistentIdentifier.Scope) { self.departure = departure }
}

extension _ModelState {
  /// The identifier of an object without a context, or `nil` if it never had one.
  package var ownIdentifier: PersistentIdentifier? {
    guard let extra else { return nil }
    if let scope = extra.departure { return PersistentIdentifier(scope: scope, key: .integer(key)) }
    return extra.identifier
  }
}
