import StoreProtocol

extension AnyKeyPath {
  /// The reason for an error: the key path has steps that no store has, and the way around it.
  ///
  /// Key paths to computed properties have no names. The stored properties of the same type tell
  /// which of a predicate's key paths is meant.
  var unstoredReason: String {
    let (root, value) = (type(of: self).rootType, type(of: self).valueType)
    let layout = (root as? any PersistentModel.Type).map(ModelLayout.of)
    let names = (layout?.storedProperties ?? []).filter { $0.valueType == value }.map(\.name)
    let list = names.joined(separator: ", ")
    let stored = names.isEmpty ? "" : "; \(root) stores as \(value): \(list)"
    return "no store has the value of the key path from \(root) to \(value), such as a computed or "
      + "@Transient property or an ephemeral attribute; write what it computes, or store it in a "
      + "property of its own\(stored)"
  }
}
