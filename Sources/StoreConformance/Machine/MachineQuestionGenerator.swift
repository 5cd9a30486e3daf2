import Foundation
import StoreProtocol

/// Creates random requests over the rows and the history of a model.
struct MachineQuestionGenerator {
  private var source: RandomSource
  private let model: ContractModel
  private let names: MachineNames
  private let filters: Bool
  private let sorts: Bool

  private static let entities = ["Item", "Item", "Item", "Tool", "Tool", "Drill"]
  private static let attributes = [
    "name", "code", "note", "count", "count", "size", "made", "made", "kept",
  ]
  private static let required: Set = ["name", "count", "made"]
  private static let comparisons: [QueryExpression.Comparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  init(
    _ seed: UInt64,
    _ model: ContractModel,
    _ names: MachineNames,
    _ capabilities: StoreCapabilities
  ) {
    source = RandomSource(seed: seed)
    (self.model, self.names) = (model, names)
    (filters, sorts) = (capabilities.filtering == .native, capabilities.sorting == .native)
  }

  /// Returns a query, which is compared in all ways to ask it.
  mutating func query() -> MachineQuestion {
    let query = plainQuery()
    let own = own(query)
    return MachineQuestion(
      SwiftSource.text(query),
      "QUERY-001, QUERY-012, QUERY-014, QUERY-016, QUERY-026, SORT-003, SORT-004, WINDOW-003",
      expected: { model in
        let rows = try ReferenceRows(model).evaluate(query).map { "\($0)" }
        return rows + rows + rows + ["\(rows.count) rows"]
      },
      found: { store in
        let fetched = try store.fetch(own).map(\.persistentIdentifier)
        let identifiers = try store.identifiers(own)
        var read: [PersistentIdentifier] = []
        try store.read(own) { read.append($0.identifier) }
        let count = try store.count(own)
        return { names in
          (fetched + identifiers + read).map { "\(names.inNumbers($0).integerKey ?? 0)" }
            + ["\(count) rows"]
        }
      }
    )
  }

  /// Returns values or groups of rows.
  mutating func selection() -> MachineQuestion {
    var query = plainQuery()
    // Rows of a filter with identifiers would need those of the store.
    if query.filter?.nodes.contains(where: Self.refersToRows) == true { query.filter = nil }
    let key = QueryExpression.row(source.pick(Self.attributes))
    if source.oneIn(3) {
      return .selected(StoreSelection(query, columns: [.value(key), .value(.row("count"))]))
    }
    let functions: [StoreSelection.Function] = [.minimum, .maximum, .distinctCount]
    return .selected(
      StoreSelection(
        query,
        groups: source.oneIn(4) ? [] : [key],
        columns: [
          .count, .aggregate(.sum, .row("count"), .int64),
          .aggregate(source.pick(functions), .row("size"), .double),
        ]
      )
    )
  }

  /// Returns a request for lists of few rows under the names of entities above and below their own.
  mutating func members() -> MachineQuestion {
    let owning = model.schema.entities.filter { $0.properties.contains(where: \.isToMany) }
    let entity = source.pick(owning)
    let property = source.pick(entity.properties.filter(\.isToMany))
    let above = source.oneIn(2) ? entity.root : entity.name
    let rows = names.identifiers.filter {
      model.schema.isEntity($0.value.entityName, kindOf: entity.name)
    }
    let some = source.some(of: rows.keys.sorted(), atMost: 3)
    let owners = MachineQuestion.owners(some, named: above, names)
    return property.isDerivedToMany && source.oneIn(2)
      ? .memberRows(property, entity, owners) : .members(property, entity, owners)
  }

  /// Returns a request of the history.
  mutating func transactions() -> MachineQuestion {
    var query = StoreHistoryQuery()
    if !source.oneIn(4) { query.filter = filter(2) }
    let terms = [
      StoreHistoryQuery.Term(.timestamp, isReversed: source.oneIn(2)),
      StoreHistoryQuery.Term(.number, isReversed: source.oneIn(2)),
    ]
    query.order = source.some(of: terms, atMost: 2)
    if source.oneIn(3) { query.limit = source.below(5) }
    return .transactions(query)
  }

  private func own(_ query: StoreQuery) -> StoreQuery {
    query.replacingIdentifiers(names.ownOrMissing)
  }

  private static func refersToRows(_ node: QueryExpression) -> Bool {
    switch node {
    case .constant(.identifier), .constant(.identifiers): true
    default: false
    }
  }

  private mutating func plainQuery() -> StoreQuery {
    var query = StoreQuery(
      entity: source.pick(Self.entities),
      includesSubentities: !source.oneIn(4)
    )
    if !source.oneIn(8) { query.filter = condition(2) }
    // The layer above evaluates what a store leaves to it, but for a query by identity.
    if !filters { query.filter = nil }
    if source.oneIn(10) {
      let rows = source.some(of: names.identifiers.keys.sorted(), atMost: 6)
      query = .rows((rows + rows.prefix(1)).compactMap { names.numbered($0) }, of: query.entity)
    }
    let terms = source.oneIn(4) ? index() : source.some(of: Self.attributes, atMost: 2)
    query.sort = terms.map { QuerySort(property: $0, isReversed: source.oneIn(2)) }
    if source.oneIn(3) { query.offset = source.below(4) }
    if source.oneIn(3) { query.limit = source.below(6) }
    if !sorts { query.sort = [] }
    return query
  }

  private mutating func condition(_ depth: Int) -> QueryExpression {
    if depth > 0, source.oneIn(3) {
      let parts = (0..<2).map { _ in condition(depth - 1) }
      return source.oneIn(3) ? .not(parts[0]) : source.oneIn(2) ? .and(parts) : .or(parts)
    }
    let name = source.pick(Self.attributes)
    switch source.below(12) {
    case 0...3: return .row(name, source.pick(Self.comparisons), constant(name))
    case 4:
      let isRequired = Self.required.contains(name)
      let value: QueryExpression =
        isRequired ? .row(name) : .coalesce(.row(name), .constant(present(name)))
      let bounds = [present(name), present(name)].sorted { StoreValue.sortOrder($0, $1) < 0 }
      return .isInRange(
        value,
        lower: .constant(bounds[0]),
        upper: .constant(bounds[1]),
        closed: source.oneIn(2)
      )
    case 5:
      return .contains(.constant(.array((0..<3).map { _ in constant(name) })), .row(name))
    case 6: return .row("box", source.oneIn(2) ? .equal : .notEqual, reference())
    case 7:
      let label = QueryExpression.property(.row("box"), "label")
      return .compare(source.pick(Self.comparisons), label, .constant(constant("code")))
    case 8:
      let isMore = QueryExpression.compare(
        .greater,
        .property(.element(1), "count"),
        .integer(Int64(source.below(5)))
      )
      let list = source.pick(["peers", "friends"])
      return .quantified(source.oneIn(2) ? .some : .every, .row(list), variable: 1, isMore)
    case 9, 10:
      // A condition on all properties of an index: equality with all but the last.
      let names = index()
      let last = source.pick(Self.comparisons)
      return .and(
        names.map { .row($0, $0 == names.last ? last : .equal, constant($0)) }
      )
    default:
      return source.oneIn(2)
        ? .isKind(.element(0), entity: source.pick(["Tool", "Drill"]))
        : .compare(.greater, .aggregate(.count, .row("tags")), .integer(0))
    }
  }

  /// Returns the properties of an index.
  private mutating func index() -> [String] {
    source.pick(model.schema.entity(named: "Item")?.indices ?? [["name"]])
  }

  /// Returns a value to compare an attribute with; integers are also compared with fractions.
  private mutating func constant(_ name: String) -> StoreValue {
    if name == "count", source.oneIn(2) { return .double(Double(source.below(10)) / 2) }
    return source.oneIn(6) && !Self.required.contains(name) ? .null : present(name)
  }

  /// Returns a value that is not nil, often that of a row.
  private mutating func present(_ name: String) -> StoreValue {
    if source.oneIn(2), let number = model.numbers(of: "Item").randomElement(using: &source),
      let value = model.rows[number]?.values[name], !value.isNull
    {
      return value
    }
    guard let property = model.schema.entity(named: "Item")?.property(named: name) else {
      return .null
    }
    for _ in 0..<8 {
      let value = MachineValues.value(of: property, &source)
      if !value.isNull { return value }
    }
    return .string("")
  }

  private mutating func reference() -> StoreValue {
    let boxes = names.identifiers.filter { $0.value.entityName == "Box" }.keys.sorted()
    guard let number = boxes.randomElement(using: &source), !source.oneIn(4) else { return .null }
    return .identifier(DifferentialRow.identifier(number, "Box"))
  }

  private mutating func filter(_ depth: Int) -> StoreHistoryFilter {
    if depth > 0, source.oneIn(3) {
      let parts = (0..<2).map { _ in filter(depth - 1) }
      return source.oneIn(3) ? .not(parts[0]) : source.oneIn(2) ? .all(parts) : .any(parts)
    }
    let known = model.history.saves
    let number = known.randomElement(using: &source) ?? 1
    switch source.below(6) {
    case 0:
      let near = number + Int64(source.below(3)) - 1
      return .number(source.pick(Self.comparisons), near)
    case 1: return .numbers(Set(source.some(of: known, atMost: 3)))
    case 2:
      let time = model.history.transactions.randomElement(using: &source)?.timestamp
      return .timestamp(
        source.pick(Self.comparisons),
        // Also between two transactions.
        (time ?? Date(timeIntervalSinceReferenceDate: 0)).addingTimeInterval(
          source.oneIn(3) ? 0.5 : 0
        )
      )
    case 3: return .text(.author, Set(source.some(of: MachineGenerator.authors, atMost: 2)))
    default:
      let entities = model.schema.entities.map(\.name)
      return .changes(entities: Set(source.some(of: entities, atMost: 2)))
    }
  }
}
