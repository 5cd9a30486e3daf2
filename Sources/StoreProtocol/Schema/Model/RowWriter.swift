import Foundation

/// A writer of one row, value by value in the order of its entity's properties.
///
/// For speed, a store provides a subclass that writes directly to its own representation. All
/// methods except ``write(_:at:)-(StoreValue,_)`` have a default that uses it.
open class RowWriter {
  /// The first error of a value, which the creator of the writer throws.
  public var failure: (index: Int, error: any Error)?

  /// Whether relationships are only tested for being loaded; ``faultKey`` has the result, and their
  /// objects are not written.
  @usableFromInline package final var probesFaults: Bool {
    get { probe.isOne }
    set { probe.isOne = newValue }
  }

  /// The result of a test: the key of an unloaded to-one relationship, 0 for an unloaded to-many
  /// relationship, or `nil` for a loaded one.
  @usableFromInline package final var faultKey: Int64? {
    get { probe.key }
    set { probe.key = newValue }
  }

  // Accessed for each relationship, in accesses that never overlap. The attribute applies in this
  // module only, so other modules use computed properties.
  @exclusivity(unchecked) private final var probe = (isOne: false, key: Int64?.none)

  /// Creates a writer.
  public init() {}

  /// Writes the value of a property.
  open func write(_ value: StoreValue, at index: Int) {}

  /// Writes a string.
  open func write(_ value: String, at index: Int) { write(.string(value), at: index) }

  /// Writes an integer.
  open func write(_ value: Int64, at index: Int) { write(.integer(value), at: index) }

  /// Writes a floating-point number.
  open func write(_ value: Double, at index: Int) { write(.double(value), at: index) }

  /// Writes a Boolean.
  open func write(_ value: Bool, at index: Int) { write(.bool(value), at: index) }

  /// Writes a date.
  open func write(_ value: Date, at index: Int) { write(.date(value), at: index) }

  /// Writes a to-one relationship: the key of the related row, `.temporary` for a new one, or `nil`
  /// for none.
  open func write(reference key: PersistentIdentifier.Key?, at index: Int) {}

  /// Writes a to-many relationship: the keys of the related rows in order, `.temporary` for new
  /// ones, or `nil` if the object's list is not loaded.
  open func write(references keys: [PersistentIdentifier.Key]?, at index: Int) {}

  /// Writes a to-one relationship: its object, or the key of an unloaded one, or neither.
  ///
  /// A store receives it as ``write(reference:at:)``.
  open func write(_ model: (any PersistentModel)?, key: Int64, at index: Int) {
    guard let model else {
      // The smallest number represents a missing key.
      return write(reference: key == 0 || key == .min ? nil : .integer(key), at: index)
    }
    write(reference: Self.key(of: model), at: index)
  }

  /// Writes a to-many relationship: its objects, or `nil` if they are not loaded.
  ///
  /// A store receives it as ``write(references:at:)``.
  open func write(_ models: [any PersistentModel]?, at index: Int) {
    write(references: models?.compactMap(Self.key), at: index)
  }

  /// Returns the key of an object's row, or `nil` if it is deleted.
  static func key(of model: any PersistentModel) -> PersistentIdentifier.Key? {
    let flags = model._$state.flags
    guard flags.isDisjoint(with: [.deleted, .vanished]) else { return nil }
    if flags.contains(.inserted) { return .temporary(model._$state.key) }
    if let registration = model._$state.registration {
      return registration.identifier(of: model).key
    }
    return model._$state.ownIdentifier?.key ?? .temporary(model._$temporaryNumber())
  }
}
