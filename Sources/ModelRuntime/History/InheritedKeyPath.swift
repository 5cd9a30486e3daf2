import StoreProtocol

/// A subscript argument that names the superclass of a key path.
public struct _InheritedModel<M: PersistentModel>: Hashable, Sendable {
  init() {}
}

extension PersistentModel {
  /// The object as an instance of a superclass, for key paths to inherited properties only.
  ///
  /// - Precondition: The class inherits from the superclass.
  public subscript<M: PersistentModel>(_inherited type: _InheritedModel<M>) -> M {
    // Only ModelLayout creates such key paths, for superclasses of the class.
    unsafeDowncast(self, to: M.self)
  }
}

extension ModelLayout {
  /// Returns the key path of a property from the model itself, even if the model inherits the
  /// property.
  ///
  /// The key path refers to the value but does not equal the key path that a program writes.
  /// Compare with ``DefaultHistoryUpdate/changes(_:)``.
  package func keyPath<M: PersistentModel>(named name: String, in type: M.Type) -> AnyKeyPath? {
    guard let index = index(named: name) else { return nil }
    let path = properties[index].keyPath
    if path is PartialKeyPath<M> { return path }
    guard let root = Swift.type(of: path).rootType as? any PersistentModel.Type else { return nil }
    return Self.step(from: type, to: root).appending(path: path)
  }

  private static func step<M: PersistentModel, S: PersistentModel>(
    from type: M.Type,
    to superclass: S.Type
  ) -> AnyKeyPath {
    let path: KeyPath<M, S> = \M.[_inherited: _InheritedModel<S>()]
    return path
  }
}

extension PartialKeyPath {
  /// The key path as `Sendable`: it captures nothing, since a macro generated it.
  ///
  /// Both types have the same representation: `Sendable` has no witness table.
  var sendable: any PartialKeyPath<Root> & Sendable {
    unsafeBitCast(self, to: (any PartialKeyPath<Root> & Sendable).self)
  }
}

extension DefaultHistoryUpdate {
  /// Whether a property has a new value, including an inherited property.
  public func changes(_ keyPath: PartialKeyPath<Model>) -> Bool {
    if updatedAttributes.contains(where: { $0 == keyPath }) { return true }
    guard let name = ModelLayout.nameOfProperty(at: keyPath) else { return false }
    return updatedNames.contains(name)
  }

  /// The names of the properties that have new values.
  public var updatedNames: [String] {
    updatedAttributes.compactMap { ModelLayout.nameOfProperty(at: $0) }
  }
}
