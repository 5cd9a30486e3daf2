import ModelRuntime
import StoreProtocol

/// Writes an object's values in their stored form.
final class ValuesWriter: RowWriter {
  private var values: [StoreValue]
  private var unwritten: Set<Int> = []
  private let registration: EntityRegistration
  private let keys: KeyOrder
  /// The elements that the store has in the relationship that is being written, if it has them in this
  /// order.
  private var stored: [any PersistentModel]?

  init(_ registration: EntityRegistration, keys: KeyOrder) {
    self.registration = registration
    self.keys = keys
    values = [StoreValue](repeating: .null, count: registration.entity.properties.count)
  }

  /// Returns the value of a property, null if the object has none.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` if it cannot be encoded.
  func value(of index: Int, in model: any PersistentModel) throws -> StoreValue {
    values[index] = .null
    model._$write(index, to: self)
    guard let failure else { return values[index] }
    throw SwiftDataError.modelValidationFailure.with(
      "the value cannot be encoded; nothing was saved",
      entity: registration.entity.name,
      property: registration.entity.properties[failure.index].name,
      cause: failure.error
    )
  }

  /// Returns the changes of an object, without those of basic attributes.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` if a value cannot be encoded.
  func changes(
    of model: any PersistentModel,
    _ pending: PendingChanges
  ) throws -> [StoreUpdate.Change] {
    if !unwritten.isEmpty { unwritten = [] }
    var changes: [StoreUpdate.Change] = []
    for index in model.dirtyIndices
    where !registration.isPlain[index] && index < values.count {
      if registration.isRelationship[index] {
        model.mergePendingMembers(index)
        if isAppendedInOrder(index, of: model, pending) { continue }
        stored = elements(of: index, storedFor: model, pending)
      }
      defer { stored = nil }
      let value = try value(of: index, in: model)
      if isWritten(index) { changes.append(StoreUpdate.Change(index, value)) }
    }
    return changes
  }

  /// Returns the values that a save would store now for some properties.
  ///
  /// Values that cannot be encoded, or need not be written, are left out.
  func values(of model: any PersistentModel, at indices: [Int]) -> [Int: StoreValue] {
    var found: [Int: StoreValue] = [:]
    for index in indices {
      model.mergePendingMembers(index)
      model._$write(index, to: self)
      guard failure == nil else { break }
      if isWritten(index) { found[index] = values[index] }
    }
    return found
  }

  /// Whether a store finds the elements of a relationship by their own references.
  private func isDerived(_ index: Int) -> Bool {
    // Stores that do not support derived relationships need the list in any case.
    registration.entity.properties[index].isDerivedToMany && registration.derivesMembers
  }

  /// Whether a relationship differs from the stored one only by new objects at its end.
  ///
  /// If they are in the order of their keys, the store returns all in order without a list.
  private func isAppendedInOrder(
    _ index: Int,
    of model: any PersistentModel,
    _ pending: PendingChanges
  ) -> Bool {
    guard let appended = model.appended(to: index), isDerived(index),
      !pending.touched.contains(model, index)
    else { return false }
    return keys.follows(appended.filter(keys.canRefer), from: [])
  }

  /// Returns the elements that a store has in a derived relationship, or `nil` if saved ones joined
  /// them.
  private func elements(
    of index: Int,
    storedFor model: any PersistentModel,
    _ pending: PendingChanges
  ) -> [any PersistentModel]? {
    guard isDerived(index), !pending.joined.contains(model, index),
      case .models(let models)? = model.original(of: index)
    else { return nil }
    return models
  }

  /// Whether a value is to be written: it is available, and differs from the stored one.
  private func isWritten(_ index: Int) -> Bool { !unwritten.contains(index) }

  override func write(_ value: StoreValue, at index: Int) {
    values[index] = value
  }

  override func write(_ model: (any PersistentModel)?, key: Int64, at index: Int) {
    if let model {
      values[index] = keys.canRefer(to: model) ? .identifier(model.persistentModelID) : .null
    } else if key != 0, key != .min,
      let destination = registration.entity.properties[index].relationship?.destination
    {
      values[index] = .identifier(
        PersistentIdentifier(.integer(key), of: destination, in: registration.store.identifier)
      )
    } else if key == .min {
      unwritten.insert(index)
    } else {
      values[index] = .null
    }
  }

  override func write(_ models: [any PersistentModel]?, at index: Int) {
    guard let present = models?.filter(keys.canRefer) else {
      unwritten.insert(index)
      return
    }
    if let stored, keys.follows(present, from: stored) {
      unwritten.insert(index)
      return
    }
    let isNatural = isDerived(index) && keys.isNatural(present)
    values[index] = isNatural ? .null : .identifiers(present.map(\.persistentModelID))
  }
}
