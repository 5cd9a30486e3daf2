import StoreProtocol

extension QueryPlan {
  /// Returns the plan in words.
  func explanation() -> StoreExplanation {
    var indexes: [String] = []
    for name in (order?.parts.map(\.plan) ?? tables).compactMap({ indexName(of: $0) })
    where !indexes.contains(name) {
      indexes.append(name)
    }
    return StoreExplanation(
      store: "JSONFileStore",
      nativeFilter: query.filter,
      sortsNatively: true,
      steps: (order?.parts.map(\.plan) ?? tables).map(step) + [orderStep].compactMap { $0 },
      indexes: indexes,
      rowsExamined: rowsExamined,
      missingIndex: missingIndex
    )
  }

  private var missingIndex: [String] {
    let scanned = tables.first(where: \.isScan)
    guard let plan = scanned ?? tables.first else { return [] }
    let entity = view.map.schema.entities[plan.number]
    return entity.missingIndex(
      for: query,
      scans: scanned != nil,
      sorts: !query.sort.isEmpty && order == nil,
      besides: view.map.indexes[plan.number].map { $0.map { entity.properties[$0].name } }
    )
  }

  private var rowsExamined: StoreExplanation.Cost {
    let plans = order?.parts.map(\.plan) ?? tables
    let total = plans.reduce(0) { $0 + $1.count }
    // Without sorting in memory, it ends as soon as the window is full.
    let endsEarly = order != nil || (query.sort.isEmpty && tables.count <= 1)
    guard endsEarly, let wanted, wanted < total else { return .rows(total) }
    return plans.allSatisfy(\.filter.passesAll) ? .rows(wanted) : .about(total)
  }

  private func step(_ plan: TablePlan) -> String {
    let entity = view.map.schema.entities[plan.number]
    var step = "\(entity.name): \(plan.count) rows \(plan.way(entity))"
    if !plan.filter.conditions.isEmpty {
      let names = plan.filter.conditions.map { entity.properties[$0.property].name }
      step += ", each compared by \(names.joined(separator: ", "))"
    }
    if plan.filter.remaining != nil { step += ", each tested by the evaluator" }
    return step
  }

  private var orderStep: String? {
    guard !query.sort.isEmpty else { return nil }
    guard let order else { return "sorted in memory" }
    let direction = order.isReversed ? "backwards" : "forwards"
    let rest = order.rest.isEmpty ? "" : "; ties sorted in memory"
    return "in the order of the index, \(direction)\(rest)"
  }

  private func indexName(of plan: TablePlan) -> String? {
    guard case .index(let match) = plan.source else { return nil }
    let entity = view.map.schema.entities[plan.number]
    return "\(entity.name)(\(entity.names(match.index.properties)))"
  }
}

extension TablePlan {
  fileprivate var isScan: Bool {
    if case .all = source { true } else { false }
  }

  /// Returns the description of how the rows are found.
  func way(_ entity: StoreEntity) -> String {
    switch source {
    case .all: "by scanning"
    case .slots(_, let how): how
    case .index(let match): "by index (\(entity.names(match.index.properties)))"
    }
  }
}

extension StoreEntity {
  fileprivate func names(_ positions: [Int]) -> String {
    positions.map { properties[$0].name }.joined(separator: ", ")
  }
}
