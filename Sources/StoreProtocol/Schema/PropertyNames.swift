/// The names of the values of snapshots, shared by all snapshots of an entity.
package final class PropertyNames: Sendable, Hashable {
  /// The names, in the order of the values.
  package let names: [String]
  private let indexByName: [String: Int]

  /// Creates a list of unique names.
  package init(_ names: [String]) {
    self.names = names
    indexByName = Dictionary(firstOf: names.enumerated().map { ($1, $0) })
  }

  /// Returns the names of an entity's properties.
  static func of(_ entity: StoreEntity) -> PropertyNames { entity.propertyNames }

  /// Returns the index of a name, or `nil` if there is none.
  package func index(of name: String) -> Int? { indexByName[name] }

  package static func == (lhs: PropertyNames, rhs: PropertyNames) -> Bool {
    lhs === rhs || lhs.names == rhs.names
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
