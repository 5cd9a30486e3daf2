import StoreProtocol

extension HistoryTombstone {
  /// The preserved value of a property, or `nil` if it was not preserved.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    if let known = values.first(where: { $0.keyPath == keyPath }) { return known.value }
    // A key path to an inherited property names the subclass and equals no registered key path.
    guard ModelLayout.of(Model.self).superlayout != nil,
      let name = ModelLayout.nameOfProperty(at: keyPath)
    else { return nil }
    return values.first { ModelLayout.nameOfProperty(at: $0.keyPath) == name }?.value
  }
}
