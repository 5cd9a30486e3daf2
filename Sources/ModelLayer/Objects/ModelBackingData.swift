import ModelRuntime
import StoreProtocol

/// A view of one object's values by key path, as in SwiftData's interface.
///
/// The values themselves are in the object's own stored properties.
public struct ModelBackingData<Model: PersistentModel>: BackingData {
  private let model: Model

  init(_ model: Model) {
    self.model = model
  }

  /// The identity of the object.
  public var persistentModelID: PersistentIdentifier? { model.persistentModelID }

  public func record() throws -> DefaultSnapshot {
    let layout = ModelLayout.of(Model.self)
    if model._$state.flags.contains(.outdated) { model.readOutdated() }
    let values = try layout.storedProperties.indices.map { index in
      switch PropertyReader.content(of: index, in: model) {
      case .value(let value): value
      case .failure(let error): throw error
      case .models, .fault, .reference: related(index, in: layout)
      }
    }
    return DefaultSnapshot(
      persistentIdentifier: model.persistentModelID,
      names: PropertyNames(layout.storedProperties.map(\.name)),
      values: values
    )
  }

  private func related(_ index: Int, in layout: ModelLayout) -> StoreValue {
    let models = model.related(at: index)
    if layout.properties[index].shape?.isToMany == true {
      return .identifiers(models.map(\.persistentModelID))
    }
    return models.first.map { .identifier($0.persistentModelID) } ?? .null
  }

  /// Reads a property.
  public func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { model[keyPath: key] }

  /// Writes a property if the key path is writable, and does nothing otherwise.
  public func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    guard let writable = key as? ReferenceWritableKeyPath<Model, Value> else { return }
    model[keyPath: writable] = newValue
  }
}

extension PersistentModel {
  /// The values of the object by key path.
  public var persistentBackingData: any BackingData<Self> { ModelBackingData(self) }

  /// Reads a property by its key path.
  public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value { self[keyPath: key] }

  /// Writes a property by its key path if that is writable, and does nothing otherwise.
  public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    ModelBackingData(self).setValue(forKey: key, to: newValue)
  }
}
