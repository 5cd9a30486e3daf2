import StoreProtocol

/// A recorder of the changes of one save, which reduces them to one change for each row.
///
/// Keys are never reused. A key from ``firstNewKey`` on therefore belongs to a new row, whatever
/// else the save does to it.
public struct HistoryRecorder {
  /// A change that rows of one entity have in common.
  private struct Run {
    let kind: StoreChange.Kind
    let entity: StoreEntity
    /// The indices of the properties that an update changed, in ascending order.
    var properties: [Int] = []
    var cause = StoreChange.Cause.program
    /// The properties that a delete rule changed, in addition to those that the program changed.
    var cleared: [Int] = []
    var keys: [Int64]
  }

  private let content: HistoryOptions.Content
  /// The first key that the save assigned to a new row, or the maximum if it has assigned none yet.
  public var firstNewKey: Int64
  /// The changes in the order in which they were recorded; most saves have one.
  private var runs: [Run] = []
  /// The rows that a delete rule deleted.
  private var cascaded: Set<Int64> = []
  /// The properties that a delete rule changed before the batch was created.
  private var cleared: [Int64: [Int]] = [:]

  /// The rows before the save, as far as ``wantsRow(of:deleting:)`` requests them.
  public var before: [Int64: DefaultSnapshot] = [:]

  /// Creates the recorder of a save.
  ///
  /// - Parameters:
  ///   - content: The detail that the history keeps of a change.
  ///   - changes: The batch of the save, for the changes in it that delete rules made.
  ///   - firstNewKey: The first key of the rows that the save inserts.
  public init(
    _ content: HistoryOptions.Content,
    of changes: StoreChanges? = nil,
    firstNewKey: Int64 = .max
  ) {
    self.content = content
    self.firstNewKey = firstNewKey
    guard let changes else { return }
    cascaded = Set(changes.cascaded.compactMap(\.integerKey))
    for (identifier, properties) in changes.cleared {
      identifier.integerKey.map { cleared[$0] = properties }
    }
  }

  /// Returns whether ``before`` needs a row that is about to be updated or deleted.
  public func wantsRow(of entity: StoreEntity, deleting: Bool) -> Bool {
    content == .values || (deleting && entity.properties.contains(where: \.isPreserved))
  }

  /// Records the same change of rows of an entity, of which there may be none.
  ///
  /// - Parameters:
  ///   - kind: The kind of the change.
  ///   - keys: The keys of the rows. An update or a deletion of a row that the save inserts does not
  ///     count.
  ///   - entity: The entity of the rows.
  ///   - properties: The indices of the properties that an update changes.
  ///   - cause: The part of the save that changes the properties. It is `.deleteRule` for a reference
  ///     that the store clears because its row is deleted. It is `.merge` for a row that a new record
  ///     updates, and for a row that loses its counterpart because of that.
  public mutating func record(
    _ kind: StoreChange.Kind,
    _ keys: [Int64],
    of entity: StoreEntity,
    _ properties: [Int] = [],
    cause: StoreChange.Cause = .program
  ) {
    // A save that deletes only rows that do not exist changes nothing.
    if keys.isEmpty { return }
    // By index: a copy of the last run would hold its keys, and each call would copy them.
    if let last = runs.indices.last, runs[last].kind == kind, runs[last].cause == cause,
      runs[last].entity.name == entity.name, runs[last].properties == properties
    {
      return runs[last].keys.append(contentsOf: keys)
    }
    let known = Set(properties).intersection(entity.properties.indices).sorted()
    if kind == .update, known.isEmpty { return }
    runs.append(Run(kind: kind, entity: entity, properties: known, cause: cause, keys: keys))
  }

  /// The keys and entities of the rows to read after the save.
  public var rowsToRead: [(entity: String, keys: [Int64])] {
    guard content == .values else { return [] }
    return byEntity.compactMap { runs in
      let keys = Self.keys(.insert, in: runs) + Set(storedKeys(.update, in: runs)).sorted()
      return keys.isEmpty ? nil : (runs[0].entity.name, keys)
    }
  }

  /// Returns the changes of the save.
  ///
  /// - Parameter row: Returns a row after the save, for a history that keeps values.
  /// - Returns: The changes: insertions, updates and deletions, each in order of the entities' names.
  /// - Throws: The errors of reading a row.
  public func groups(
    after row: (_ key: Int64, _ entity: StoreEntity) throws -> DefaultSnapshot?
  ) rethrows -> [HistoryGroup] {
    var groups: [HistoryGroup] = []
    for run in isReduced ? runs : reduced {
      for keys in KeyRanges(run.keys).parts {
        var group = HistoryGroup(
          run.kind,
          of: run.entity.name,
          keys: keys,
          properties: run.properties.map { run.entity.properties[$0].name },
          cause: run.cause,
          clearedProperties: run.cleared.map { run.entity.properties[$0].name }
        )
        if content == .values || run.kind == .delete {
          try addValues(to: &group, of: run.entity) { try row($0, run.entity) }
        }
        groups.append(group)
      }
    }
    return groups
  }

  /// Whether each row has one change.
  private var isReduced: Bool { runs.count == 1 && cleared.isEmpty && cascaded.isEmpty }

  /// The changes with one for each row, in the order of a transaction.
  private var reduced: [Run] {
    let entities = byEntity
    let inserted = entities.map { runs in
      Run(kind: .insert, entity: runs[0].entity, keys: Self.keys(.insert, in: runs))
    }
    let deleted = entities.flatMap { runs in
      let keys = storedKeys(.delete, in: runs)
      let others = keys.filter(cascaded.contains)
      let own = others.isEmpty ? keys : keys.filter { !cascaded.contains($0) }
      return [
        Run(kind: .delete, entity: runs[0].entity, keys: own),
        Run(kind: .delete, entity: runs[0].entity, cause: .deleteRule, keys: others),
      ]
    }
    return (inserted + entities.flatMap(updated) + deleted).filter { !$0.keys.isEmpty }
  }

  /// The changes by entity, in order of the entities' names.
  private var byEntity: [[Run]] {
    Dictionary(grouping: runs, by: \.entity.name).sorted { $0.key < $1.key }.map(\.value)
  }

  private static func keys(_ kind: StoreChange.Kind, in runs: [Run]) -> [Int64] {
    runs.filter { $0.kind == kind }.flatMap(\.keys)
  }

  /// Returns the keys of rows that the save did not insert.
  private func storedKeys(_ kind: StoreChange.Kind, in runs: [Run]) -> [Int64] {
    Self.keys(kind, in: runs).filter { $0 < firstNewKey }
  }

  /// Returns the updates of an entity's stored rows, by change.
  private func updated(_ runs: [Run]) -> [Run] {
    let gone = Set(storedKeys(.delete, in: runs))
    var updates = runs.filter { $0.kind == .update }
    if updates.count == 1, gone.isEmpty, cleared.isEmpty {
      updates[0].keys = storedKeys(.update, in: updates)
      return updates
    }
    var rows: [Int64: RowChange] = [:]
    for run in updates {
      for key in storedKeys(.update, in: [run]) where !gone.contains(key) {
        rows[key, default: RowChange()].add(run.properties, by: run.cause)
      }
    }
    let changes = Dictionary(grouping: rows) { $1.change(cleared: cleared[$0] ?? []) }
    return changes.sorted { $0.key < $1.key }.map { change, rows in
      Run(
        kind: .update,
        entity: runs[0].entity,
        properties: change.properties,
        cause: change.cause,
        cleared: change.cleared,
        keys: rows.map(\.key)
      )
    }
  }

  /// The change of a row, as property indices.
  private struct Change: Hashable, Comparable {
    var properties: [Int]
    var cause = StoreChange.Cause.program
    var cleared: [Int] = []

    static func < (lhs: Self, rhs: Self) -> Bool {
      if lhs.properties != rhs.properties {
        return lhs.properties.lexicographicallyPrecedes(rhs.properties)
      }
      if lhs.cause != rhs.cause { return lhs.cause.rawValue < rhs.cause.rawValue }
      return lhs.cleared.lexicographicallyPrecedes(rhs.cleared)
    }
  }

  /// The properties of a row that each part of the save changed, sorted.
  private struct RowChange {
    private var program: [Int] = []
    private var rule: [Int] = []
    private var all: [Int] = []
    private var isMerged = false

    mutating func add(_ properties: [Int], by cause: StoreChange.Cause) {
      Self.unite(&all, properties)
      switch cause {
      case .program: Self.unite(&program, properties)
      case .deleteRule: Self.unite(&rule, properties)
      case .merge: isMerged = true
      }
    }

    private static func unite(_ list: inout [Int], _ properties: [Int]) {
      if list.isEmpty {
        list = properties
      } else if list != properties {
        list = Set(list).union(properties).sorted()
      }
    }

    /// Returns the change.
    ///
    /// If the program set some properties because a delete rule cleared them, the delete rule is
    /// their cause.
    func change(cleared: [Int]) -> Change {
      if isMerged { return Change(properties: all, cause: .merge) }
      if rule.isEmpty, cleared.isEmpty { return Change(properties: all) }
      let own = Set(program).subtracting(cleared)
      let byRules = all.filter { !own.contains($0) }
      return own.isEmpty
        ? Change(properties: all, cause: .deleteRule) : Change(properties: all, cleared: byRules)
    }
  }

  /// Adds the values that the history keeps to a group.
  ///
  /// These are all except those that may be stored in files, or the preserved ones of deleted rows.
  private func addValues(
    to group: inout HistoryGroup,
    of entity: StoreEntity,
    after row: (Int64) throws -> DefaultSnapshot?
  ) rethrows {
    let kept = entity.properties
      .filter { $0.isPreserved || content == .values && !$0.isExternal }.map(\.name)
    if group.kind != .update { group.properties = kept }
    let names = group.properties
    if names.isEmpty { return }
    let hidden = Set(names).subtracting(kept)
    let keys = group.keys.ranges.joined()
    func values(_ row: DefaultSnapshot?) -> [StoreValue] {
      guard let row else { return [] }
      return names.map { hidden.contains($0) ? .unkept : row[$0] ?? .null }
    }
    if group.kind != .insert { group.before = keys.map { values(before[$0]) } }
    if group.kind != .delete { group.after = try keys.map { values(try row($0)) } }
  }
}

extension StoreProperty {
  /// Whether the history keeps the value when the row is deleted.
  package var isPreserved: Bool { options.contains("preserveValueOnDeletion") }
}
