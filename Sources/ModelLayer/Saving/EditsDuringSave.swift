import ModelRuntime
import StoreProtocol

/// The changes that the program made to the objects of a save since it was sent to the store.
///
/// Such changes are found by comparison with what was sent, since an object that waits to be saved
/// does not note a second change.
struct EditsDuringSave {
  private struct Edit {
    let model: any PersistentModel
    let index: Int
    /// The value that the save stores, or `nil` if it does not contain the property.
    let saved: StoreValue?
    /// The content before the first change.
    let original: PropertyContent?
  }

  private var edits: [Edit] = []

  /// Compares the current objects, or some of them, with the values that were sent to the store.
  init(
    since save: Save,
    keys: KeyOrder,
    among edited: [ObjectIdentifier: any PersistentModel]? = nil
  ) {
    func isCompared(_ model: any PersistentModel) -> Bool {
      edited.map { $0[ObjectIdentifier(model)] != nil } ?? true
    }
    for (model, record) in zip(save.inserted, save.changes.inserted) where isCompared(model) {
      let indices = Array(record.values.indices)
      compare(model, indices, keys) { record.values[$0] }
    }
    let updates = Dictionary(firstOf: save.changes.updated.map { ($0.identifier, $0.changes) })
    for model in save.changed where isCompared(model) {
      let changes = updates[model.persistentModelID] ?? []
      compare(model, model.dirtyIndices, keys) { index in
        changes.first { $0.index == index }?.value
      }
    }
  }

  private mutating func compare(
    _ model: any PersistentModel,
    _ indices: [Int],
    _ keys: KeyOrder,
    _ saved: (Int) -> StoreValue?
  ) {
    guard let registration = model.registration else { return }
    let indices = indices.filter { $0 < registration.layout.storedCount }
    let values = ValuesWriter(registration, keys: keys).values(of: model, at: indices)
    for index in indices {
      let saved = saved(index)
      if let saved, let value = values[index], value.isSame(as: saved) { continue }
      let original = model.original(of: index)
      edits.append(Edit(model: model, index: index, saved: saved, original: original))
    }
  }

  /// Marks the changes on objects of a context, above what is stored now, and returns these objects.
  func mark(
    _ result: StoreChangesResult,
    where isMember: (any PersistentModel) -> Bool
  ) -> [any PersistentModel] {
    edits.filter { isMember($0.model) }.map { edit in
      let model = edit.model
      let original =
        edit.saved.map { content(of: $0, edit, result) } ?? edit.original ?? .fault(0)
      model.modelExtra.originals.append(Original(index: edit.index, content: original))
      model._$state.dirty |= _ModelState.bit(edit.index)
      model._$state.flags.insert(.changed)
      return model
    }
  }

  /// Returns the content of a property as if it was just read from a row with a value.
  private func content(
    of value: StoreValue,
    _ edit: Edit,
    _ result: StoreChangesResult
  ) -> PropertyContent {
    guard edit.model.registration?.isRelationship[edit.index] == true else { return .value(value) }
    guard case .identifier(let former) = value else {
      return value.isNull && edit.model.registration?.entity.properties[edit.index].isToOne == true
        ? .models([]) : .fault(0)
    }
    let identifier = result.remapped[former] ?? former
    return identifier.integerKey.map(PropertyContent.fault) ?? .reference(identifier)
  }
}
