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
  public final var probesFaults: Bool {
    get { probe.isOne }
    set { probe.isOne = newValue }
  }

  /// The result of a test: the key of an unloaded to-one relationship, 0 for an unloaded to-many
  /// relationship, or `nil` for a loaded one.
  public final var faultKey: Int64? {
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
  private static func key(of model: any PersistentModel) -> PersistentIdentifier.Key? {
    let flags = model._$state.flags
    guard flags.isDisjoint(with: [.deleted, .vanished]) else { return nil }
    if flags.contains(.inserted) { return .temporary(model._$state.key) }
    return model.persistentModelID.key
  }
}

// The overloads that macro-generated code selects by the type of a property; inlinable like those
// of `RowReader`.

extension RowWriter {
  /// Writes a string.
  public final func write(_ index: Int, _ value: String) { write(value, at: index) }

  /// Writes an integer.
  public final func write(_ index: Int, _ value: Int) { write(Int64(value), at: index) }

  /// Writes a floating-point number.
  public final func write(_ index: Int, _ value: Double) { write(value, at: index) }

  /// Writes a Boolean.
  public final func write(_ index: Int, _ value: Bool) { write(value, at: index) }

  /// Writes a date.
  public final func write(_ index: Int, _ value: Date) { write(value, at: index) }

  /// Writes an optional string.
  public final func write(_ index: Int, _ value: String?) {
    if let value { write(value, at: index) } else { write(.null, at: index) }
  }

  /// Writes an optional integer.
  public final func write(_ index: Int, _ value: Int?) {
    if let value { write(Int64(value), at: index) } else { write(.null, at: index) }
  }

  /// Writes an optional floating-point number.
  public final func write(_ index: Int, _ value: Double?) {
    if let value { write(value, at: index) } else { write(.null, at: index) }
  }

  /// Writes an optional Boolean.
  public final func write(_ index: Int, _ value: Bool?) {
    if let value { write(value, at: index) } else { write(.null, at: index) }
  }

  /// Writes an optional date.
  public final func write(_ index: Int, _ value: Date?) {
    if let value { write(value, at: index) } else { write(.null, at: index) }
  }

  /// Writes a value of a type that stores support.
  @inlinable
  public final func write<T: StoreScalar>(_ index: Int, _ value: T) {
    write(value.storeValue, at: index)
  }

  /// Writes an optional value of a type that stores support.
  @inlinable
  public final func write<T: StoreScalar>(_ index: Int, _ value: T?) {
    write(value?.storeValue ?? .null, at: index)
  }

  /// Writes a Codable value whose type has the name of a type that stores support, such as
  /// `Character`.
  @_disfavoredOverload
  public final func write<V: Codable>(_ index: Int, _ value: V) { encode(value, at: index) }

  /// Rejects a relationship that ``RowReader`` rejects, which has the message.
  @_disfavoredOverload
  public final func write<M: PersistentModel>(_ index: Int, _ value: M?) {}

  /// Writes a value of a Codable type; the property list of the model requires the conformance
  /// (`_register(_:)`).
  @_disfavoredOverload
  public final func write<V>(_ index: Int, _ slot: _Slot<V>) {
    guard let value = slot.value else { return }
    encode(value, at: index)
  }

  final func encode<V>(_ value: V, at index: Int) {
    func write<C: Codable>(as type: C.Type) throws {
      guard let value = value as? C else { return }
      let stored = try StoreValueEncoder.encode(value)
      KnownValues.remember(stored, of: type)
      self.write(stored, at: index)
    }
    do {
      if let type = CodableTypes.type(V.self) { try write(as: type) }
    } catch {
      if failure == nil { failure = (index, error) }
    }
  }

  /// Writes an enumeration by its raw value.
  @inlinable
  public final func write<V: RawRepresentable & Codable>(_ index: Int, _ slot: _Slot<V>)
  where V.RawValue: StoreScalar {
    guard let value = slot.value else { return }
    write(value.rawValue.storeValue, at: index)
  }

  /// Writes an optional enumeration by its raw value.
  @inlinable
  public final func write<V: RawRepresentable & Codable>(_ index: Int, _ slot: _Slot<V?>)
  where V.RawValue: StoreScalar {
    guard let value = slot.value else { return }
    write(value?.rawValue.storeValue ?? .null, at: index)
  }

  /// Writes a to-one relationship.
  @inlinable
  public final func write<M: PersistentModel>(_ index: Int, _ slot: _Slot<M>) {
    if probesFaults { return probe(isLoaded: slot.value != nil, key: slot.key) }
    write(slot.value, key: slot.key, at: index)
  }

  /// Writes an optional to-one relationship.
  @inlinable
  public final func write<M: PersistentModel>(_ index: Int, _ slot: _Slot<M?>) {
    if probesFaults { return probe(isLoaded: slot.value != nil, key: slot.key) }
    write(slot.value ?? nil, key: slot.key, at: index)
  }

  /// Writes a to-many relationship.
  @inlinable
  public final func write<M: PersistentModel>(_ index: Int, _ slot: _Slot<[M]>) {
    if probesFaults { return faultKey = slot.value == nil ? 0 : nil }
    write(slot.value, at: index)
  }

  /// Writes an optional to-many relationship.
  @inlinable
  public final func write<M: PersistentModel>(_ index: Int, _ slot: _Slot<[M]?>) {
    if probesFaults { return faultKey = slot.value == nil ? 0 : nil }
    write(slot.value.map { $0 ?? [] }, at: index)
  }

  /// Records whether a to-one relationship is loaded; a key of 0 means no object.
  @inlinable
  final func probe(isLoaded: Bool, key: Int64) {
    faultKey = isLoaded || key == 0 ? nil : key
  }
}
