/// A group of changes with the same kind, cause, entity and properties: the form in which a store
/// keeps a save.
///
/// Fifty thousand new rows with consecutive keys therefore take as much space as one.
public struct HistoryGroup: Hashable, Sendable {
  /// The kind of change.
  package let kind: StoreChange.Kind
  /// The entity of the rows.
  package let entity: String
  /// The keys of the rows.
  package let keys: KeyRanges
  /// The properties that an update changed, and the properties of the values of any change.
  package var properties: [String]
  /// The part of the save that changed the rows.
  package let cause: StoreChange.Cause
  /// The properties that a delete rule changed, in addition to those that the program changed.
  package let clearedProperties: [String]
  /// The values before the change for each key, in the order of the properties.
  package var before: [[StoreValue]]?
  /// The values after the change for each key, in the order of the properties.
  package var after: [[StoreValue]]?

  /// Creates a group.
  package init(
    _ kind: StoreChange.Kind,
    of entity: String,
    keys: KeyRanges,
    properties: [String] = [],
    cause: StoreChange.Cause = .program,
    clearedProperties: [String] = [],
    before: [[StoreValue]]? = nil,
    after: [[StoreValue]]? = nil
  ) {
    self.kind = kind
    self.entity = entity
    self.keys = keys
    self.properties = properties
    self.cause = cause
    self.clearedProperties = clearedProperties
    self.before = before
    self.after = after
  }

  /// Returns the change of one row.
  ///
  /// - Parameters:
  ///   - key: The row's key.
  ///   - index: The index of the key among all keys of the group.
  ///   - store: The identifier of the store.
  /// - Returns: The change.
  func change(_ key: Int64, at index: Int, in store: String) -> StoreChange {
    StoreChange(
      kind,
      PersistentIdentifier(.integer(key), of: entity, in: store),
      properties: kind == .update ? properties : [],
      cause: cause,
      clearedProperties: clearedProperties.isEmpty ? nil : clearedProperties,
      before: values(before, index),
      after: values(after, index)
    )
  }

  private func values(_ lists: [[StoreValue]]?, _ index: Int) -> [String: StoreValue] {
    guard let lists, lists.indices.contains(index) else { return [:] }
    return Dictionary(firstOf: zip(properties, lists[index]).filter { $0.1 != .unkept })
  }
}

extension HistoryGroup {
  /// The group as named values, for stores to write: `{"update": "Trip", "keys": [[4, 9]], …}`.
  public var storeValue: StoreValue {
    var members = [
      StoreValue.Member(kind.rawValue, .string(entity)),
      StoreValue.Member("keys", keys.storeValue),
    ]
    if cause != .program { members.append(StoreValue.Member("cause", .string(cause.rawValue))) }
    for (name, list) in [("properties", properties), ("cleared", clearedProperties)]
    where !list.isEmpty {
      members.append(StoreValue.Member(name, .array(list.map(StoreValue.string))))
    }
    for (name, lists) in [("before", before), ("after", after)] {
      guard let lists else { continue }
      members.append(StoreValue.Member(name, .array(lists.map(StoreValue.array))))
    }
    return .composite(members)
  }

  /// The maximum number of changes in all groups of a transaction.
  ///
  /// The numbers of changes have room for this many (``HistoryBuilder``). A file that claims more is
  /// damaged.
  private static let mostChanges = 1 << 31

  /// Reads the groups of a transaction, or returns `nil` for anything else.
  public static func groups(_ values: [StoreValue]) -> [HistoryGroup]? {
    var groups: [HistoryGroup] = []
    var total = 0
    for value in values {
      guard let group = HistoryGroup(storeValue: value), group.keys.count <= mostChanges - total
      else { return nil }
      total += group.keys.count
      groups.append(group)
    }
    return groups
  }

  /// Creates a group from such named values, or returns `nil` for anything else.
  init?(storeValue: StoreValue) {
    for kind in StoreChange.Kind.allCases {
      guard case .string(let entity)? = storeValue.member(kind.rawValue) else { continue }
      guard let keys = storeValue.member("keys").flatMap(KeyRanges.init(storeValue:)) else {
        return nil
      }
      var cause: StoreChange.Cause?
      if case .string(let name)? = storeValue.member("cause") { cause = .init(rawValue: name) }
      self.init(
        kind,
        of: entity,
        keys: keys,
        properties: Self.names(storeValue.member("properties")),
        cause: cause ?? .program,
        clearedProperties: Self.names(storeValue.member("cleared"))
      )
      before = Self.lists(storeValue.member("before"))
      after = Self.lists(storeValue.member("after"))
      return
    }
    return nil
  }

  private static func names(_ value: StoreValue?) -> [String] {
    guard case .array(let names)? = value else { return [] }
    return names.compactMap { if case .string(let name) = $0 { name } else { nil } }
  }

  private static func lists(_ value: StoreValue?) -> [[StoreValue]]? {
    guard case .array(let lists)? = value else { return nil }
    return lists.map { if case .array(let values) = $0 { values } else { [] } }
  }
}

/// A set of keys, as ascending ranges.
package struct KeyRanges: Hashable, Sendable {
  /// The ranges, in ascending order.
  package private(set) var ranges: [ClosedRange<Int64>] = []

  /// Creates a set of keys, which may be in any order, and repeated.
  package init(_ keys: [Int64]) {
    var previous: Int64?
    let isSorted = keys.allSatisfy { key in
      defer { previous = key }
      return previous.map { $0 < key } ?? true
    }
    for key in isSorted ? keys : keys.sorted() {
      if let last = ranges.last, last.upperBound < .max, last.upperBound + 1 == key {
        ranges[ranges.count - 1] = last.lowerBound...key
      } else if ranges.last?.upperBound != key {
        ranges.append(key...key)
      }
    }
  }

  /// The keys in as many sets as groups need to hold them.
  package var parts: [KeyRanges] {
    if count <= Self.mostKeys { return [self] }
    let keys = Array(ranges.joined())
    return stride(from: 0, to: keys.count, by: Self.mostKeys).map { start in
      KeyRanges(Array(keys[start..<min(start + Self.mostKeys, keys.count)]))
    }
  }

  var count: Int { ranges.reduce(0) { $0 + Int($1.upperBound - $1.lowerBound) + 1 } }

  /// The ranges as a list, each as a key or as a list of the first and the last key.
  package var storeValue: StoreValue {
    .array(
      ranges.map { range in
        range.count == 1
          ? .integer(range.lowerBound)
          : .array([.integer(range.lowerBound), .integer(range.upperBound)])
      }
    )
  }

  /// Creates a set from such a list, or returns `nil` for anything else.
  ///
  /// Ranges are not expanded, regardless of their length.
  package init?(storeValue: StoreValue) {
    guard case .array(let entries) = storeValue else { return nil }
    var last: Int64 = 0
    for entry in entries {
      let range: ClosedRange<Int64>
      switch entry {
      case .integer(let key): range = key...key
      case .array(let ends):
        guard ends.count == 2, case .integer(let first) = ends[0], case .integer(let end) = ends[1],
          first >= 1, first <= end
        else { return nil }
        range = first...end
      default: return nil
      }
      guard range.lowerBound > last, range.upperBound <= Self.greatestKey else { return nil }
      last = range.upperBound
      ranges.append(range)
    }
  }

  /// The greatest key that a file may contain.
  private static let greatestKey: Int64 = 1 << 62
  /// The maximum number of keys in a group that is written.
  private static let mostKeys = 1 << 24
}

extension StoreValue {
  /// The placeholder for a value that the history does not keep.
  package static var unkept: StoreValue { .composite([Member("$unkept", .bool(true))]) }
}
