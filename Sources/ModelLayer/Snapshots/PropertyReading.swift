import ModelRuntime
import StoreProtocol

extension ModelLayout.Property {
  /// Reads the property like a program: missing data is loaded, and observers are notified.
  func read(on model: any PersistentModel) {
    (keyPath as? any ReadablePath)?.read(on: model)
  }

  /// Sets an attribute like a program, by its stored form.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` if the stored form is not of the property, and
  ///   `SwiftDataError.modelValidationFailure` for a constant.
  func set(_ stored: StoreValue, on model: any PersistentModel) throws {
    guard let path = keyPath as? any SettablePath else {
      guard let root = type(of: keyPath).rootType as? any PersistentModel.Type,
        setCharacter(stored, on: model, from: root)
      else { throw constant(model) }
      return
    }
    do {
      try path.set(stored, on: model)
    } catch {
      throw DataStoreError(
        .invalidValue,
        "\(stored.kindName) does not fit the property",
        entity: ModelLayout.of(type(of: model)).entityName,
        property: name,
        cause: error
      )
    }
  }

  /// Sets a character, the only type of attributes that is not Codable.
  private func setCharacter<Root: PersistentModel>(
    _ stored: StoreValue,
    on model: any PersistentModel,
    from root: Root.Type
  ) -> Bool {
    guard let model = model as? Root else { return false }
    if let path = keyPath as? ReferenceWritableKeyPath<Root, Character?> {
      model[keyPath: path] = Character(storeValue: stored)
    } else if let path = keyPath as? ReferenceWritableKeyPath<Root, Character>,
      let character = Character(storeValue: stored)
    {
      model[keyPath: path] = character
    } else {
      return false
    }
    return true
  }

  /// Sets a relationship like a program.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` for a constant, an object of another model,
  ///   and no object for a required relationship.
  func relate(_ objects: [any PersistentModel], on model: any PersistentModel) throws {
    guard let shape, let root = type(of: keyPath).rootType as? any PersistentModel.Type else {
      return
    }
    guard try relate(objects, on: model, from: root, to: shape.destination) else {
      throw constant(model)
    }
  }

  private func relate<Root: PersistentModel, Other: PersistentModel>(
    _ objects: [any PersistentModel],
    on model: any PersistentModel,
    from root: Root.Type,
    to other: Other.Type
  ) throws -> Bool {
    guard let model = model as? Root else { return false }
    let others = objects.compactMap { $0 as? Other }
    guard others.count == objects.count else {
      throw unfit(model, "the related object must be a \(Other.self)")
    }
    switch keyPath {
    case let path as ReferenceWritableKeyPath<Root, Other>:
      guard let only = others.first else {
        throw unfit(model, "the relationship is not optional; give it an object")
      }
      model[keyPath: path] = only
    case let path as ReferenceWritableKeyPath<Root, Other?>: model[keyPath: path] = others.first
    case let path as ReferenceWritableKeyPath<Root, [Other]>: model[keyPath: path] = others
    case let path as ReferenceWritableKeyPath<Root, [Other]?>: model[keyPath: path] = others
    default: return false
    }
    return true
  }

  private func constant(_ model: any PersistentModel) -> SwiftDataError {
    unfit(model, "a constant of an existing object cannot be changed; omit it")
  }

  private func unfit(_ model: any PersistentModel, _ reason: String) -> SwiftDataError {
    .modelValidationFailure.with(
      reason,
      entity: ModelLayout.of(type(of: model)).entityName,
      property: name
    )
  }
}

/// A key path whose property can be read on any object.
private protocol ReadablePath {
  func read(on model: any PersistentModel)
}

extension KeyPath: ReadablePath where Root: PersistentModel {
  fileprivate func read(on model: any PersistentModel) {
    if let model = model as? Root { _ = model[keyPath: self] }
  }
}

/// A key path whose attribute can be set on any object.
private protocol SettablePath {
  func set(_ stored: StoreValue, on model: any PersistentModel) throws
}

extension ReferenceWritableKeyPath: SettablePath where Root: PersistentModel, Value: Codable {
  fileprivate func set(_ stored: StoreValue, on model: any PersistentModel) throws {
    let value = try PropertyForm.value(Value.self, of: stored)
    if let model = model as? Root { model[keyPath: self] = value }
  }
}
