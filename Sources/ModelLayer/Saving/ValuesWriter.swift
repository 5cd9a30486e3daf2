import ModelRuntime
import StoreProtocol

/// Writes an object's values in their stored form.
final class ValuesWriter: RowWriter {
  private var values: [StoreValue]
  private var unwritten: Set<Int> = []
  private let registration: EntityRegistration
  private let keys: KeyOrder
  /// The earlier contents of changed properties, if the store still has them.
  private var originals: [Original] = []

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
    clear()
    if registration.hasRelationships {
      originals = (model.existingExtra?.originals ?? []).filter {
        !pending.joined.contains(model, $0.index)
      }
    }
    var changes: [StoreUpdate.Change] = []
    for index in model.dirtyIndices
    where !registration.isPlain[index] && index < values.count {
      if registration.isRelationship[index] { model.mergePendingMembers(index) }
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

  /// Prepares the writer for another object.
  private func clear() {
    if !unwritten.isEmpty { unwritten = [] }
    if !originals.isEmpty { originals = [] }
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
    // Stores that do not support derived relationships need the list in any case.
    let derives =
      registration.entity.properties[index].isDerivedToMany && registration.derivesMembers
    if derives, let before = originals.first(where: { $0.index == index }),
      case .models(let others) = before.content, keys.follows(present, from: others)
    {
      unwritten.insert(index)
      return
    }
    let isNatural = derives && keys.isNatural(present)
    values[index] = isNatural ? .null : .identifiers(present.map(\.persistentModelID))
  }
}
