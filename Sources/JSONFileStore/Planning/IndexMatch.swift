import StoreProtocol

/// The rows that an index finds for some conditions.
struct IndexMatch {
  let index: TableIndex
  let ranges: [Range<SortedSlots.Position>]
  /// The number of rows found.
  let count: Int
  /// The numbers of the conditions that need no further test.
  let covered: Set<Int>
  /// The number of leading properties with a constant value in all found rows.
  let fixedCount: Int

  /// Creates a match with all rows.
  init(all index: TableIndex) {
    self.index = index
    ranges = [index.slots.start..<index.slots.end]
    count = index.slots.count
    covered = []
    fixedCount = 0
  }

  private init(_ index: TableIndex, _ search: IndexSearch, _ columns: [Column]) {
    self.index = index
    ranges = search.prefixes.map { index.find($0, search.range, columns) }
    count = ranges.reduce(0) { $0 + index.slots.count($1) }
    covered = search.covered
    fixedCount = search.fixedCount
  }

  /// Returns the rows that an index by some properties finds, or `nil` if it does not help.
  static func find(
    _ properties: [Int],
    _ conditions: [(number: Int, condition: ColumnCondition)],
    _ number: Int,
    in view: ReadView
  ) throws -> IndexMatch? {
    let table = try view.load(number)
    var search = IndexSearch(mostPrefixes: max(16, table.count / 16))
    for property in properties
    where !search.extend(conditions.filter { $0.condition.property == property }) {
      break
    }
    guard search.isUseful else { return nil }
    return IndexMatch(try view.index(number, by: properties), search, table.columns)
  }
}

/// The search in an index: values of its first properties, then a range of the next.
private struct IndexSearch {
  /// The maximum number of prefixes; more cost more to look up than a scan of all rows.
  let mostPrefixes: Int
  var prefixes: [[StoreValue]] = [[]]
  var range: ValueRange?
  var covered: Set<Int> = []
  var fixedCount = 0
  private var isFixed = true

  init(mostPrefixes: Int) { self.mostPrefixes = mostPrefixes }

  var isUseful: Bool { range != nil || prefixes != [[]] }

  /// Adds the conditions on the next property.
  ///
  /// - Returns: Whether the property after it can be searched as well.
  mutating func extend(_ conditions: [(number: Int, condition: ColumnCondition)]) -> Bool {
    for (number, condition) in conditions {
      if case .among(let list) = condition.test { return extend(list, number, condition) }
    }
    for (number, condition) in conditions {
      guard case .within(let own) = condition.test else { continue }
      range = range.map(own.intersection) ?? own
      if condition.isExact { covered.insert(number) }
    }
    return false
  }

  private mutating func extend(
    _ list: [StoreValue],
    _ number: Int,
    _ condition: ColumnCondition
  ) -> Bool {
    let values = list.sortedOnce
    guard prefixes.count * values.count <= mostPrefixes else { return false }
    prefixes = prefixes.flatMap { prefix in values.map { prefix + [$0] } }
    if condition.isExact { covered.insert(number) }
    isFixed = isFixed && values.count == 1
    if isFixed { fixedCount += 1 }
    return !values.isEmpty
  }
}
