import StoreProtocol

extension _ModelState {
  /// Returns the bit of a property in ``dirty``.
  @inlinable
  public static func bit(_ index: Int) -> UInt64 {
    1 &<< UInt64(truncatingIfNeeded: Swift.min(index, 63))
  }

  /// Whether a read of a plain value must take the slow path.
  ///
  /// The value may not be loaded, or the object is or is about to be observed.
  @inlinable
  public var readsNeedCare: Bool {
    // observed | partial | outdated | probed
    flags.rawValue & 0b1_1001_0000_0010 != 0
      || (flags.rawValue & 1 != 0 && _ObservationProbe.isActive)
  }

  /// Whether a read of a slot must take the slow path: it may be a relationship with pending
  /// objects to add or remove.
  @inlinable
  public var slotReadsNeedCare: Bool {
    // observable | observed | hasPendingMembers | partial | outdated | probed
    flags.rawValue & 0b1_1001_0000_0111 != 0
  }

  /// Whether a relationship has its objects for one read only.
  @inlinable
  public var isTemporary: Bool { flags.rawValue & 0b100_0000_0000 != 0 }

  /// Returns whether a property may be overwritten without a notification.
  ///
  /// The properties that share the last bit always need one, because the bit does not tell which of
  /// them was already recorded.
  @inlinable
  public func writesAreFree(_ index: Int) -> Bool {
    // observed | tracked
    flags.rawValue & 0b1010 == 0
      // observed | recorded
      || (flags.rawValue & 0b10_0000_0010 == 0 && index < 63 && dirty & Self.bit(index) != 0)
  }
}
