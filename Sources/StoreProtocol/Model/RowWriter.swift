import Foundation

/// One row to be stored, written value by value in the order of its entity's properties.
///
/// A store that wants speed gives a subclass that writes straight into its own representation;
/// all but ``write(_:at:)-(StoreValue,_)`` have a default that goes through it.
open class RowWriter {
  /// The first error that a value met, for whoever made the writer to throw.
  public var failure: (index: Int, error: any Error)?

  /// Whether relationships are only asked whether they are loaded: ``faultKey`` says so, and their
  /// objects are not taken.
  public final var probesFaults: Bool {
    get { probe.isOne }
    set { probe.isOne = newValue }
  }

  /// What a probe met: the key of a relationship to one that is not loaded, 0 for one to many, nil
  /// for one that is.
  public final var faultKey: Int64? {
    get { probe.key }
    set { probe.key = newValue }
  }

  // Asked about for each relationship, and no access lasts. The attribute holds in this module alone, so
  // that others look through properties that are computed.
  @exclusivity(unchecked) private final var probe = (isOne: false, key: Int64?.none)

  /// Creates a writer.
  public init() {}

  /// Takes the value of a property.
  open func write(_ value: StoreValue, at index: Int) {}

  /// Takes a text.
  open func write(_ value: String, at index: Int) { write(.string(value), at: index) }

  /// Takes a whole number.
  open func write(_ value: Int64, at index: Int) { write(.integer(value), at: index) }

  /// Takes a floating-point number.
  open func write(_ value: Double, at index: Int) { write(.double(value), at: index) }

  /// Takes a truth value.
  open func write(_ value: Bool, at index: Int) { write(.bool(value), at: index) }

  /// Takes a point in time.
  open func write(_ value: Date, at index: Int) { write(.date(value), at: index) }

  /// Takes a relationship to one: the key of the other row, `.temporary` for a new one, or `nil` for none.
  open func write(reference key: PersistentIdentifier.Key?, at index: Int) {}

  /// Takes a relationship to many: the keys of the other rows in order, `.temporary` for new ones, or
  /// `nil` if the object does not say.
  open func write(references keys: [PersistentIdentifier.Key]?, at index: Int) {}

  /// Takes a to-one relationship: its object, or the key of one that was not loaded, or neither.
  ///
  /// A store gets it as ``write(reference:at:)``.
  open func write(_ model: (any PersistentModel)?, key: Int64, at index: Int) {
    guard let model else {
      // The smallest number stands for a key that is none.
      return write(reference: key == 0 || key == .min ? nil : .integer(key), at: index)
    }
    write(reference: Self.key(of: model), at: index)
  }

  /// Takes a to-many relationship: its objects, or nil when they were not loaded.
  ///
  /// A store gets it as ``write(references:at:)``.
  open func write(_ models: [any PersistentModel]?, at index: Int) {
    write(references: models?.compactMap(Self.key), at: index)
  }

  /// The key of an object's row, or `nil` if it is deleted.
  private static func key(of model: any PersistentModel) -> PersistentIdentifier.Key? {
    let flags = model._$state.flags
    guard flags.isDisjoint(with: [.deleted, .vanished]) else { return nil }
    if flags.contains(.inserted) { return .temporary(model._$state.key) }
    return model.persistentModelID.key
  }
}

// The overloads that macro-made code picks by the type of a property; inlinable as those of `RowReader`.

extension RowWriter {
  /// Writes a text.
  public final func write(_ index: Int, _ value: String) { write(value, at: index) }

  /// Writes a whole number.
  public final func write(_ index: Int, _ value: Int) { write(Int64(value), at: index) }

  /// Writes a floating-point number.
  public final func write(_ index: Int, _ value: Double) { write(value, at: index) }

  /// Writes a truth value.
  public final func write(_ index: Int, _ value: Bool) { write(value, at: index) }

  /// Writes a point in time.
  public final func write(_ index: Int, _ value: Date) { write(value, at: index) }

  /// Writes a text that may be absent.
  public final func write(_ index: Int, _ value: String?) {
    if let value { write(value, at: index) } else { write(.null, at: index) }
  }

  /// Writes a whole number that may be absent.
  public final func write(_ index: Int, _ value: Int?) {
    if let value { write(Int64(value), at: index) } else { write(.null, at: index) }
  }

  /// Writes a floating-point number that may be absent.
  public final func write(_ index: Int, _ value: Double?) {
    if let value { write(value, at: index) } else { write(.null, at: index) }
  }

  /// Writes a truth value that may be absent.
  public final func write(_ index: Int, _ value: Bool?) {
    if let value { write(value, at: index) } else { write(.null, at: index) }
  }

  /// Writes a point in time that may be absent.
  public final func write(_ index: Int, _ value: Date?) {
    if let value { write(value, at: index) } else { write(.null, at: index) }
  }

  /// Writes a value that stores know.
  @inlinable
  public final func write<T: StoreScalar>(_ index: Int, _ value: T) {
    write(value.storeValue, at: index)
  }

  /// Writes a value that stores know and that may be absent.
  @inlinable
  public final func write<T: StoreScalar>(_ index: Int, _ value: T?) {
    write(value?.storeValue ?? .null, at: index)
  }

  /// Writes a Codable value whose type has the name of one that stores know, such as `Character`.
  @_disfavoredOverload
  public final func write<V: Codable>(_ index: Int, _ value: V) { encode(value, at: index) }

  /// Refuses what ``RowReader`` refuses, where the message is.
  @_disfavoredOverload
  public final func write<M: PersistentModel>(_ index: Int, _ value: M?) {}

  /// Writes a value of a Codable type, which the property list of the model demands (`_register(_:)`).
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

  /// Writes an enumeration that may be absent by its raw value.
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

  /// Writes a to-one relationship that may be absent.
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

  /// Writes a to-many relationship that may be absent.
  @inlinable
  public final func write<M: PersistentModel>(_ index: Int, _ slot: _Slot<[M]?>) {
    if probesFaults { return faultKey = slot.value == nil ? 0 : nil }
    write(slot.value.map { $0 ?? [] }, at: index)
  }

  /// Notes whether a relationship to one is loaded; a key of 0 leads to no object.
  @inlinable
  final func probe(isLoaded: Bool, key: Int64) {
    faultKey = isLoaded || key == 0 ? nil : key
  }
}
