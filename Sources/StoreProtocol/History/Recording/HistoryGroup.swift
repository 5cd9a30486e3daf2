/// Changes of one kind, of one entity and of the same properties: what a store keeps of a save.
///
/// So fifty thousand new rows, whose keys follow each other, take as much room as one.
package struct HistoryGroup: Hashable, Sendable {
  /// What became of the rows.
  package let kind: StoreChange.Kind
  /// Their entity.
  package let entity: String
  /// Their keys.
  package let keys: KeyRanges
  /// The properties that an update changed, and those of the values of any change.
  package let properties: [String]
  /// For each key the values before, in the order of the properties.
  package var before: [[StoreValue]]?
  /// For each key the values after, in the order of the properties.
  package var after: [[StoreValue]]?

  /// Creates a group.
  package init(
    _ kind: StoreChange.Kind,
    of entity: String,
    keys: KeyRanges,
    properties: [String] = [],
    before: [[StoreValue]]? = nil,
    after: [[StoreValue]]? = nil
  ) {
    self.kind = kind
    self.entity = entity
    self.keys = keys
    self.properties = properties
    self.before = before
    self.after = after
  }

  /// The changes one by one.
  package func changes(storeIdentifier: String) -> [StoreChange] {
    let scope = PersistentIdentifier.Scope(storeIdentifier: storeIdentifier, entityName: entity)
    return keys.keys.enumerated().map { index, key in
      StoreChange(
        kind,
        PersistentIdentifier(scope: scope, key: .integer(key)),
        properties: kind == .update ? properties : [],
        before: values(before, index),
        after: values(after, index)
      )
    }
  }

  private func values(_ lists: [[StoreValue]]?, _ index: Int) -> [String: StoreValue] {
    guard let lists, lists.indices.contains(index) else { return [:] }
    return Dictionary(
      zip(properties, lists[index]).filter { $0.1 != .unkept },
      uniquingKeysWith: { first, _ in first }
    )
  }
}

extension HistoryGroup {
  /// The group as named values, for stores to write: `{"update": "Trip", "keys": [[4, 9]], …}`.
  package var storeValue: StoreValue {
    var members = [
      StoreValue.Member(kind.rawValue, .string(entity)),
      StoreValue.Member("keys", keys.storeValue),
    ]
    if !properties.isEmpty {
      members.append(StoreValue.Member("properties", .array(properties.map(StoreValue.string))))
    }
    for (name, lists) in [("before", before), ("after", after)] {
      guard let lists else { continue }
      members.append(StoreValue.Member(name, .array(lists.map(StoreValue.array))))
    }
    return .composite(members)
  }

  /// Reads such named values; nil for anything else.
  package init?(storeValue: StoreValue) {
    for kind in StoreChange.Kind.allCases {
      guard case .string(let entity)? = storeValue.member(kind.rawValue) else { continue }
      guard let keys = storeValue.member("keys").flatMap(KeyRanges.init(storeValue:)) else {
        return nil
      }
      var properties: [String] = []
      if case .array(let names)? = storeValue.member("properties") {
        properties = names.compactMap { if case .string(let name) = $0 { name } else { nil } }
      }
      self.init(kind, of: entity, keys: keys, properties: properties)
      before = Self.lists(storeValue.member("before"))
      after = Self.lists(storeValue.member("after"))
      return
    }
    return nil
  }

  private static func lists(_ value: StoreValue?) -> [[StoreValue]]? {
    guard case .array(let lists)? = value else { return nil }
    return lists.map { if case .array(let values) = $0 { values } else { [] } }
  }
}
