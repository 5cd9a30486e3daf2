import QueryEvaluation
import StoreProtocol

extension QueryPlan {
  /// Returns the rows of the result, in order and within the window.
  func found() throws -> FoundRows {
    if let order, order.isThatOfIndex, let part = order.parts.first {
      let slots = try part.plan.slots(inOrderOf: part.match, in: view, limit: wanted ?? .max)
      return stored(slots, part.plan).windowed(by: query)
    }
    if let order {
      let rows = try ordered(order)
      let isOfOneTable = order.parts.count == 1
      let found =
        isOfOneTable
        ? stored(rows.map { Int32($0.slot) }, order.parts[0].plan) : FoundRows.rows(rows)
      return found.windowed(by: query)
    }
    if tables.count == 1 { return try found(tables[0]) }
    var rows: [StoredRow] = []
    for plan in tables { rows += stored(try plan.slots(in: view), plan).rows(in: view) }
    if query.sort.isEmpty { return FoundRows.rows(view.sortedByKey(rows)).windowed(by: query) }
    return try evaluated(rows)
  }

  /// Returns the rows if only one table has any, sorted by its columns if they decide the order.
  private func found(_ plan: TablePlan) throws -> FoundRows {
    if query.sort.isEmpty {
      return stored(try plan.slots(in: view, limit: wanted), plan).windowed(by: query)
    }
    let slots = try plan.slots(in: view)
    guard let order = ColumnOrder(query.sort, plan.number, in: view) else {
      return try evaluated(stored(slots, plan).rows(in: view))
    }
    return stored(order.first(wanted ?? .max, of: slots), plan).windowed(by: query)
  }

  private func stored(_ slots: [Int32], _ plan: TablePlan) -> FoundRows {
    view.tables[plan.number].map { .slots(slots, of: $0) } ?? .rows([])
  }

  /// Returns the rows in the evaluator's order, within the window.
  private func evaluated(_ rows: [StoredRow]) throws -> FoundRows {
    var unfiltered = query
    unfiltered.filter = nil
    return .rows(try view.evaluator.evaluate(unfiltered, over: rows))
  }

  /// Returns the number of rows of the result, which is independent of the query's order.
  func count() throws -> Int {
    let found = try tables.reduce(0) { sum, plan in
      try sum + (plan.filter.passesAll ? plan.count : plan.slots(in: view, limit: wanted).count)
    }
    let rest = max(0, found - max(query.offset, 0))
    return query.limit.map { min(rest, max($0, 0)) } ?? rest
  }

  // By indexes.

  /// Returns the first rows of the order, up to the required number.
  private func ordered(_ order: OrderPlan) throws -> [StoredRow] {
    var sources = try order.parts.map { part in
      OrderedSource(
        part,
        try view.load(part.plan.number).columns,
        isReversed: order.isReversed,
        test: try part.plan.filter.test(part.plan.number, in: view)
      )
    }
    let wanted = wanted ?? .max
    var rows: [StoredRow] = []
    while rows.count < wanted {
      let next = first(of: sources, isReversed: order.isReversed)
      guard let lead = next.first else { break }
      // A run of one table without further order is used unchanged, up to the required number.
      if next.count == 1, order.rest.isEmpty, order.parts[lead].isWhole {
        try sources[lead].appendRun(to: &rows, view, limit: wanted)
        continue
      }
      var run: [StoredRow] = []
      for number in next { try sources[number].appendRun(to: &run, view) }
      rows += run.count < 2 ? run : try view.evaluator.sorted(run, by: order.rest)
    }
    return rows
  }

  /// Returns the sources whose next runs come first, and are equal.
  private func first(of sources: [OrderedSource], isReversed: Bool) -> [Int] {
    if sources.count == 1 { return sources[0].hasMore ? [0] : [] }
    var first: [Int] = []
    for number in sources.indices where sources[number].hasMore {
      guard let best = first.first else {
        first = [number]
        continue
      }
      let order = sources[number].order(to: sources[best], isReversed: isReversed)
      if order < 0 { first = [number] } else if order == 0 { first.append(number) }
    }
    return first
  }
}

/// The rows of one table in the order of an index.
private struct OrderedSource {
  private let part: OrderPlan.Part
  private let columns: [Column]
  private let test: RowTest?
  private var walk: IndexWalk

  init(
    _ part: OrderPlan.Part,
    _ columns: [Column],
    isReversed: Bool,
    test: RowTest?
  ) {
    self.part = part
    self.columns = columns
    self.test = test
    walk = IndexWalk(
      part.match.index,
      columns,
      part.match.ranges.first ?? part.match.index.slots.start..<part.match.index.slots.start,
      depth: part.depth,
      isReversed: isReversed
    )
  }

  var hasMore: Bool { walk.head != nil }

  /// Returns the order of the next run relative to that of another table.
  func order(to other: OrderedSource, isReversed: Bool) -> Int {
    let terms = zip(nextValues, other.nextValues)
    for (a, b) in terms {
      let order = StoreValue.sortOrder(a, b)
      if order != 0 { return isReversed ? -order : order }
    }
    return 0
  }

  private var nextValues: [StoreValue] {
    guard let head = walk.head else { return [] }
    return part.match.index.properties[part.match.fixedCount..<part.depth].map {
      columns[$0].value(head)
    }
  }

  /// Adds the rows of the next run that pass the filter, up to a number of all rows.
  mutating func appendRun(
    to rows: inout [StoredRow],
    _ view: ReadView,
    limit: Int = .max
  ) throws {
    guard let run = walk.next(), let source = view.tables[part.plan.number] else { return }
    let slots = part.match.index.slots
    var position = run.lowerBound
    while position < run.upperBound, rows.count < limit {
      let slot = Int(slots[position])
      if try test?.passes(slot) ?? true {
        rows.append(StoredRow(view: view, source: source, slot: slot))
      }
      position = slots.next(position)
    }
  }
}
