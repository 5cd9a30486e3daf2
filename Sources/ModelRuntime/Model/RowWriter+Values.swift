import Foundation
import StoreProtocol

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

  /// Writes an array of values that stores support, as its encoding would.
  @inlinable
  public final func write<T: StoreScalar>(_ index: Int, _ slot: _Slot<[T]>) {
    guard let value = slot.value else { return }
    write(.array(value.map { $0.storeValue }), at: index)
  }

  /// Writes an optional array of values that stores support.
  @inlinable
  public final func write<T: StoreScalar>(_ index: Int, _ slot: _Slot<[T]?>) {
    guard let value = slot.value else { return }
    write(value.map { .array($0.map { $0.storeValue }) } ?? .null, at: index)
  }

  final func encode<V>(_ value: V, at index: Int) {
    func write<C: Codable>(as type: C.Type) throws {
      guard let value = value as? C else { return }
      let stored = try StoreValueEncoder.encode(value)
      FallbackValues.remember(stored, of: type)
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
