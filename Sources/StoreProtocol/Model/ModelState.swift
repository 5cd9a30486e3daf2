/// The state that the engine keeps in every model object.
///
/// One status word answers the two questions that every property access asks: may this value be
/// returned as it stands, and may it be overwritten without telling anybody.
public struct _ModelState {
  /// Facts about an object, one bit each.
  ///
  /// They are computed, since other modules call for the place of a stored one, and ask whether it was
  /// made, each time.
  public struct Flags: OptionSet, Sendable {
    public let rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A read must tell the observation machinery that it happened.
    @inlinable public static var observable: Flags { Flags(rawValue: 1 << 0) }
    /// Somebody observes the object: a registrar exists.
    @inlinable public static var observed: Flags { Flags(rawValue: 1 << 1) }
    /// Some to-many relationship has members to merge in.
    @inlinable public static var hasPendingMembers: Flags { Flags(rawValue: 1 << 2) }
    /// The object belongs to a context, which must learn of its first change.
    @inlinable public static var tracked: Flags { Flags(rawValue: 1 << 3) }
    /// The object was inserted and not saved yet.
    @inlinable public static var inserted: Flags { Flags(rawValue: 1 << 4) }
    /// The object has unsaved changes.
    @inlinable public static var changed: Flags { Flags(rawValue: 1 << 5) }
    /// The object is marked for deletion at the next save.
    @inlinable public static var deleted: Flags { Flags(rawValue: 1 << 6) }
    /// The object's row is gone, or never was.
    @inlinable public static var vanished: Flags { Flags(rawValue: 1 << 7) }
    /// Some attributes were left out when the row was read, and are read when they are touched.
    @inlinable public static var partial: Flags { Flags(rawValue: 1 << 8) }
    /// Each change must be noted, not only the first of a property: there is an undo manager.
    @inlinable public static var recorded: Flags { Flags(rawValue: 1 << 9) }
    /// A relationship has its objects for one read only: the context has ended, and objects that
    /// refer to each other would never be released.
    @inlinable public static var lent: Flags { Flags(rawValue: 1 << 10) }
  }

  /// The facts about the object.
  public var flags: Flags = .observable
  /// One bit for each changed property; all from the 64th on share the last bit.
  public var dirty: UInt64 = 0
  /// The row number, or the number of the temporary identifier.
  public var key: Int64 = 0
  /// The version of the row that the values were read from; 0 for a new object.
  public var version: Int64 = 0
  /// The object's place in its context, nil outside of one.
  public var registration: _ModelRegistration?
  /// What few objects need: registrar, original values, keys that are not numbers.
  public var extra: _ModelExtra?

  /// Creates the state of a new object outside any context.
  @inlinable
  public init() {}

  /// The bit of a property in ``dirty``.
  @inlinable
  public static func bit(_ index: Int) -> UInt64 {
    1 &<< UInt64(truncatingIfNeeded: Swift.min(index, 63))
  }

  /// Whether a read of a plain value must take the slow way: it may have to be loaded, or somebody
  /// observes it, or is about to.
  @inlinable
  public var readsNeedCare: Bool {
    // observed | partial
    flags.rawValue & 0b1_0000_0010 != 0
      || (flags.rawValue & 1 != 0 && _ObservationProbe.isActive)
  }

  /// Whether a read of what is in a slot must take the slow way: it may be a relationship, with
  /// members to merge in or to drop.
  @inlinable
  public var slotReadsNeedCare: Bool {
    // observable | observed | hasPendingMembers | partial
    flags.rawValue & 0b1_0000_0111 != 0
  }

  /// Whether a relationship has its objects for one read only.
  @inlinable
  public var isLent: Bool { flags.rawValue & 0b100_0000_0000 != 0 }

  /// Whether a property may be overwritten without telling anybody.
  ///
  /// The properties that share the last bit are never free, since the bit does not say which of
  /// them was noted already.
  @inlinable
  public func writesAreFree(_ index: Int) -> Bool {
    // observed | tracked
    flags.rawValue & 0b1010 == 0
      // observed | recorded
      || (flags.rawValue & 0b10_0000_0010 == 0 && index < 63 && dirty & Self.bit(index) != 0)
  }
}

/// An object's place in a context; the layer above has the one subclass.
open class _ModelRegistration {
  /// The bits of the properties that are relationships, as in ``_ModelState/dirty``.
  public final let relationships: UInt64

  /// Creates a registration.
  public init(relationships: UInt64) { self.relationships = relationships }

  /// The permanent or temporary identifier of a registered object.
  open func identifier(of model: any PersistentModel) -> PersistentIdentifier {
    PersistentIdentifier(
      scope: PersistentIdentifier.Scope(storeIdentifier: nil, entityName: ""),
      key: .temporary(model._$state.key)
    )
  }
}

/// What only few objects need; the layer above has the one subclass.
open class _ModelExtra {
  /// The identifier of an object whose key is not a number, or that left its context.
  public var identifier: PersistentIdentifier?
  /// Where objects were that left their context and need nothing else: these have one extra for all of
  /// them, which does not change, and their keys in their states.
  package let departure: PersistentIdentifier.Scope?

  /// Creates an empty extra.
  public init() { departure = nil }

  /// Creates the extra of all saved objects that leave a context.
  package init(departure: PersistentIdentifier.Scope) { self.departure = departure }
}

extension _ModelState {
  /// The identifier of an object that is in no context, nil where it never had one.
  package var ownIdentifier: PersistentIdentifier? {
    guard let extra else { return nil }
    if let scope = extra.departure { return PersistentIdentifier(scope: scope, key: .integer(key)) }
    return extra.identifier
  }
}
