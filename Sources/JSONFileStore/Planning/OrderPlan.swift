import StoreProtocol

/// The use of indexes to read the rows of a query in its order, or in the order of its first terms.
struct OrderPlan {
  /// The contribution of one table.
  struct Part {
    let plan: TablePlan
    let match: IndexMatch
    /// The number of properties of the index that decide the order, including constant ones.
    let depth: Int

    /// Whether all properties of the index decide, so that the index has rows with equal values in the
    /// order of their keys.
    var isWhole: Bool { depth == match.index.properties.count }
  }

  let parts: [Part]
  /// Whether the indexes are read from their end.
  let isReversed: Bool
  /// The terms that order rows which the indexes leave undecided.
  let rest: [QuerySort]

  /// Whether one index, read from its start, has the rows in the order of the result, so that no rows
  /// are compared.
  var isThatOfIndex: Bool {
    parts.count == 1 && parts[0].isWhole && rest.isEmpty && !isReversed
  }

  /// Combines the parts, or returns `nil` if their indexes do not decide the same terms.
  private init?(_ candidates: [(part: Part, start: IndexOrder)], _ terms: [QuerySort]) {
    guard let first = candidates.first?.start,
      candidates.allSatisfy({ $0.start.restStart == first.restStart })
    else { return nil }
    parts = candidates.map(\.part)
    isReversed = first.isReversed
    rest = Array(terms[first.restStart...])
  }

  /// Creates an order from the indexes that find the rows.
  init?(narrowing plans: [TablePlan], _ terms: [QuerySort], in view: ReadView) {
    var candidates: [(Part, IndexOrder)] = []
    for plan in plans {
      guard case .index(let match) = plan.source, match.ranges.count == 1,
        let order = IndexOrder(match, terms, plan.number, in: view)
      else { return nil }
      candidates.append((Part(plan: plan, match: match, depth: order.depth), order))
    }
    self.init(candidates, terms)
  }

  /// Creates an order from indexes of all rows.
  init?(
    walking planners: [TablePlanner],
    _ terms: [QuerySort],
    in view: ReadView
  ) throws {
    var candidates: [(Part, IndexOrder)] = []
    for planner in planners {
      let number = planner.number
      let lists = view.map.indexes[number].map { ($0, IndexOrder($0, 0, terms, number, in: view)) }
      let best = lists.max { a, b in
        let depths = (a.1?.depth ?? 0, b.1?.depth ?? 0)
        return depths.0 == depths.1 ? a.0.count > b.0.count : depths.0 < depths.1
      }
      guard let (properties, found) = best, let order = found else { return nil }
      let match = IndexMatch(all: try view.index(number, by: properties))
      let plan = planner.plan(.index(match), match.count)
      candidates.append((Part(plan: plan, match: match, depth: order.depth), order))
    }
    self.init(candidates, terms)
  }
}

/// The sort terms that an index decides.
private struct IndexOrder {
  let depth: Int
  let restStart: Int
  let isReversed: Bool

  init?(_ match: IndexMatch, _ terms: [QuerySort], _ number: Int, in view: ReadView) {
    self.init(match.index.properties, match.fixedCount, terms, number, in: view)
  }

  /// Creates an order, or returns `nil` if the index decides no term.
  ///
  /// The leading fixed properties have a constant value in all rows, so terms by them decide
  /// nothing.
  init?(
    _ properties: [Int],
    _ fixed: Int,
    _ terms: [QuerySort],
    _ number: Int,
    in view: ReadView
  ) {
    let entity = view.map.schema.entities[number]
    var (depth, restStart) = (fixed, 0)
    var direction: Bool?
    for term in terms {
      // The order of a reference depends on deleted rows, which a column does not contain.
      guard case .property(.element(0), let name) = term.value,
        let property = entity.indexByName[name],
        view.map.types[number][property] != .reference
      else { break }
      if !properties[..<fixed].contains(property) {
        guard depth < properties.count, properties[depth] == property,
          direction == nil || direction == term.isReversed
        else { break }
        direction = term.isReversed
        depth += 1
      }
      restStart += 1
    }
    guard let direction else { return nil }
    self.depth = depth
    self.restStart = restStart
    isReversed = direction
  }
}
