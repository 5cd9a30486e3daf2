/// Writes the stored properties behind a persisted one.
enum PeerExpansion {
  // The class may be isolated to an actor, by an attribute of its own or of its superclass or by
  // the settings of its module. A context reads and writes the storage from nonisolated code. Every
  // model relies on the rule that only one of them accesses it at a time.
  //
  // Every access is a single load or store, so that none can overlap another.
  private static let head = "@exclusivity(unchecked) nonisolated(unsafe) private var"

  /// Returns the storage of a property, which may start with a value.
  static func source(of property: ModelProperty, initially first: String?) -> Source {
    let value = first.map { " = \($0)" } ?? ""
    var source = Source("\(head) \(property.storedName)\(storage(of: property))\(value)")
    if !property.observers.isEmpty { source.add("private var \(property.flagName) = false") }
    return source
  }

  private static func storage(of property: ModelProperty) -> String {
    switch property.storage {
    // A variable of a type with a question mark starts as nil, after its initial value was stored.
    case .plain(let type) where TypeName.mayStartAsNil(type): ": ModelLayer._Names.Stored<\(type)>"
    case .plain(let type): ": \(type)"
    case .slot(let type?): ": ModelLayer._Slot<\(type)>"
    case .slot(nil): " = ModelLayer._Slot.unset({ \(property.initialValue?.inline ?? "") })"
    }
  }
}
