import StoreProtocol

/// Listeners by the hierarchies that they depend on, and by the value that each requires of an
/// attribute.
///
/// A changed row therefore visits only listeners that it can concern.
struct RequiredValues {
  /// The identity of a listener, counted so that it can be inserted for several dependencies.
  typealias Listener = ObjectIdentifier
  private typealias Counts = [Listener: Int]

  /// A property of the entities of a hierarchy.
  struct PropertyKey: Hashable {
    let root: String
    let property: String
  }

  private struct Listeners {
    var byValue: [StoreValue: Counts] = [:]
    /// The bits of all properties by which a row may join the result of a listener.
    var joining: [String: UInt64] = [:]

    var all: [Listener] { byValue.values.flatMap(\.keys) }
  }

  private var listenersByProperty: [PropertyKey: Listeners] = [:]
  /// The listeners that require no value, by hierarchy.
  private var others: [String: Counts] = [:]

  /// Adds a listener for an dependencies.
  mutating func insert(_ listener: Listener, _ dependencies: QueryDependencies) {
    count(listener, dependencies, by: 1)
  }

  /// Removes a listener that was added for an dependencies.
  mutating func remove(_ listener: Listener, _ dependencies: QueryDependencies) {
    count(listener, dependencies, by: -1)
  }

  private mutating func count(
    _ listener: Listener,
    _ dependencies: QueryDependencies,
    by change: Int
  ) {
    guard let requirement = dependencies.requirement else {
      for root in dependencies.roots { Self.count(listener, by: change, in: &others[root]) }
      return
    }
    let key = PropertyKey(root: dependencies.root, property: requirement.property)
    var listeners = listenersByProperty[key] ?? Listeners()
    listenersByProperty[key] = nil
    Self.count(listener, by: change, in: &listeners.byValue[requirement.value])
    guard !listeners.byValue.isEmpty else { return }
    listeners.joining.merge(dependencies.joiningProperties, uniquingKeysWith: |)
    listenersByProperty[key] = listeners
  }

  private static func count(_ listener: Listener, by change: Int, in counts: inout Counts?) {
    let count = (counts?[listener] ?? 0) + change
    counts = counts ?? [:]
    counts?[listener] = count == 0 ? nil : count
    if counts?.isEmpty == true { counts = nil }
  }

  /// Returns the listeners to a hierarchy that require no value.
  func others(of root: String) -> Set<Listener> { Set((others[root] ?? [:]).keys) }

  /// Returns the listeners with a requirement that a changed object can concern.
  ///
  /// These are the listeners whose value it has, or all if it may have had another.
  func listeners(
    _ entity: StoreEntity,
    changed bits: UInt64,
    value: (Int) -> StoreValue?
  ) -> [Listener] {
    var found: [Listener] = []
    for (key, listeners) in listenersByProperty where key.root == entity.root {
      if let index = entity.indexByName[key.property], bits & _ModelState.bit(index) == 0,
        let value = value(index)
      {
        found += (listeners.byValue[value] ?? [:]).keys
      } else {
        found += listeners.all
      }
    }
    return found
  }

  /// Returns all listeners that changed rows of a hierarchy can concern.
  func listeners(
    to rows: SavedChanges.Rows,
    of root: String,
    _ schema: StoreSchema
  ) -> Set<Listener> {
    var found = others(of: root)
    for (key, listeners) in listenersByProperty where key.root == root {
      let byValue = listeners.byValue
      if let values = rows.values(of: key.property, schema, where: { byValue[$0] != nil }) {
        for value in values { found.formUnion((byValue[value] ?? [:]).keys) }
      } else {
        found.formUnion(listeners.all)
      }
    }
    return found
  }

  /// The properties for which a listener requires a value.
  var properties: Set<PropertyKey> { Set(listenersByProperty.keys) }

  /// Returns the properties of a hierarchy for which a listener requires a value.
  func required(of root: String) -> [PropertyKey] {
    listenersByProperty.keys.filter { $0.root == root }
  }

  /// Returns whether a listener requires a value of one of some properties.
  func requires(_ bits: UInt64, of entity: StoreEntity) -> Bool {
    required(of: entity.root).contains { key in
      entity.indexByName[key.property].map { bits & _ModelState.bit($0) != 0 } ?? true
    }
  }

  /// Returns whether a changed row without an object in the context may join a result with a
  /// requirement.
  func mayJoin(
    _ row: PersistentIdentifier,
    by changed: SavedChanges.Rows,
    _ schema: StoreSchema
  ) -> Bool {
    guard let entity = schema.entity(named: row.entityName) else { return true }
    let bits = changed.inserted.contains(row) ? .max : changed.updated[row] ?? .max
    return listenersByProperty.contains { key, listeners in
      guard key.root == entity.root, let joining = listeners.joining[entity.name],
        joining & bits != 0
      else { return false }
      guard let index = entity.indexByName[key.property],
        let value = changed.value(of: row, at: index)
      else { return true }
      return listeners.byValue[value] != nil
    }
  }
}
