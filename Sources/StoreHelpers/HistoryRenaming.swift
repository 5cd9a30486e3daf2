import StoreProtocol

/// The changes of property names in a history by a migration.
///
/// A history has the names of properties at the time of each save. A migration that renames a
/// property therefore renames it in the history, since a later property can have the old name. If a
/// new property has the name of an earlier one, the history has the earlier one with the suffix
/// `(former)`.
public struct HistoryRenaming: Sendable {
  /// The new names by entity and old name, for each step of the migration.
  private var steps: [[String: [String: String]]] = []

  /// Creates the changes by a migration through several schemas.
  public init(from schema: StoreSchema, through schemas: [StoreSchema]) {
    var old = schema
    for new in schemas {
      let step = Self.names(from: old, to: new)
      if !step.isEmpty { steps.append(step) }
      old = new
    }
  }

  /// Whether no name changes.
  public var isEmpty: Bool { steps.isEmpty }

  /// The names that change.
  public var oldNames: Set<String> { Set(steps.flatMap { $0.values.flatMap(\.keys) }) }

  /// Returns the changes of a save with the new names, or `nil` if they are the same.
  public func renamed(_ groups: [HistoryGroup]) -> [HistoryGroup]? {
    let renamed = steps.reduce(groups) { groups, step in
      groups.map { group in step[group.entity].map { group.renamed($0) } ?? group }
    }
    return renamed == groups ? nil : renamed
  }

  private static func names(
    from old: StoreSchema,
    to new: StoreSchema
  ) -> [String: [String: String]] {
    var names: [String: [String: String]] = [:]
    for entity in new.entities {
      guard let before = old.entity(named: entity.name) else { continue }
      let match = PropertyMatch(old: before, new: entity)
      var own: [String: String] = [:]
      for (index, property) in entity.properties.enumerated()
      where match.source(of: index)?.name != property.name {
        own[property.name] = "\(property.name) (former)"
      }
      for (index, property) in entity.properties.enumerated() {
        guard let source = match.source(of: index), source.name != property.name else { continue }
        own[source.name] = property.name
      }
      if !own.isEmpty { names[entity.name] = own }
    }
    return names
  }
}

extension HistoryGroup {
  fileprivate func renamed(_ names: [String: String]) -> HistoryGroup {
    HistoryGroup(
      kind,
      of: entity,
      keys: keys,
      properties: properties.map { names[$0] ?? $0 },
      cause: cause,
      clearedProperties: clearedProperties.map { names[$0] ?? $0 },
      before: before,
      after: after
    )
  }
}
