import Foundation
import StoreProtocol

// The overloads that macro-generated code selects for properties in slots.
//
// They are inlinable so that a model's own module specializes them for its types. Otherwise, each
// call asks the runtime for the type of the slot, which costs more than the rest of it.

extension RowReader {
  /// Reads a value of a Codable type, as a fault if the store left it out.
  ///
  /// The type is not constrained to Codable here: its conformance may be isolated, and this code is
  /// not. The property list of the model requires the conformance (`_register(_:)`).
  @_disfavoredOverload
  public final func read<V>(_ index: Int) throws -> _Slot<V> {
    if isDeferred(at: index) { return _Slot(fault: 0) }
    return _Slot(try decoded(V.self, at: index))
  }

  /// Reads an enumeration by its raw value.
  @inlinable
  public final func read<V: RawRepresentable & Codable>(_ index: Int) throws -> _Slot<V>
  where V.RawValue: StoreScalar {
    if isDeferred(at: index) { return _Slot(fault: 0) }
    return _Slot(try enumeration(at: index))
  }

  /// Reads an optional enumeration by its raw value.
  @inlinable
  public final func read<V: RawRepresentable & Codable>(_ index: Int) throws -> _Slot<V?>
  where V.RawValue: StoreScalar {
    if isDeferred(at: index) { return _Slot(fault: 0) }
    return _Slot(try isNull(at: index) ? nil : enumeration(at: index) as V)
  }

  /// Reads a to-one relationship, as a fault if the row has only a key.
  @inlinable
  public final func read<M: PersistentModel>(_ index: Int) throws -> _Slot<M> {
    if let model = models(at: index)?.first as? M { return _Slot(model) }
    return _Slot(fault: try referenceKey(at: index) ?? 0)
  }

  /// Reads an optional to-one relationship.
  @inlinable
  public final func read<M: PersistentModel>(_ index: Int) throws -> _Slot<M?> {
    if let models = models(at: index) { return _Slot(models.first as? M) }
    guard let key = try referenceKey(at: index) else { return _Slot(nil) }
    return _Slot(fault: key)
  }

  /// Reads a to-many relationship, as a fault for a stored row.
  @inlinable
  public final func read<M: PersistentModel>(_ index: Int) throws -> _Slot<[M]> {
    guard let models = models(at: index) else { return _Slot(fault: 0) }
    return _Slot(RowReader.cast(models))
  }

  /// Reads an optional to-many relationship, as a fault for a stored row.
  @inlinable
  public final func read<M: PersistentModel>(_ index: Int) throws -> _Slot<[M]?> {
    guard let models = models(at: index) else { return _Slot(fault: 0) }
    return _Slot(RowReader.cast(models))
  }

  /// Returns the objects of a type; one runtime cast for each dynamic type is enough.
  @usableFromInline
  static func cast<M: PersistentModel>(_ models: ArraySlice<any PersistentModel>) -> [M] {
    var result: [M] = []
    result.reserveCapacity(models.count)
    var cachedType: ObjectIdentifier?
    for model in models {
      let type = ObjectIdentifier(type(of: model))
      if type == cachedType {
        // An object with the same dynamic type was already cast successfully.
        result.append(unsafeDowncast(model, to: M.self))
      } else if let member = model as? M {
        cachedType = type
        result.append(member)
      }
    }
    return result
  }

  @usableFromInline
  final func referenceKey(at index: Int) throws -> Int64? {
    switch try reference(at: index) {
    case nil: return nil
    case .integer(let key): return key
    case .some(let other):
      let destination = entity.properties[index].relationship?.destination ?? ""
      textReferences.append((index, PersistentIdentifier(other, of: destination)))
      return Int64.min
    }
  }

  @inlinable
  final func enumeration<V: RawRepresentable>(at index: Int) throws -> V
  where V.RawValue: StoreScalar {
    let raw: V.RawValue = try read(index)
    guard let result = V(rawValue: raw) else {
      throw invalid(raw.storeValue, at: index, expected: "a raw value of \(V.self)")
    }
    return result
  }

  final func decoded<V>(_ type: V.Type, at index: Int) throws -> V {
    let stored = try value(at: index)
    func decode<C: Codable>(_ type: C.Type) throws -> V? {
      let value = try StoreValueDecoder.decode(type, from: stored)
      FallbackValues.remember(stored, of: type)
      return value as? V
    }
    do {
      if let value = try CodableTypes.type(type).flatMap({ try decode($0) }) { return value }
    } catch {
      throw invalid(stored, at: index, expected: "\(V.self)", cause: error)
    }
    throw invalid(stored, at: index, expected: "\(V.self), which is not Codable,")
  }
}
