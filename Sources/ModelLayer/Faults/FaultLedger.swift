import Foundation
import StoreProtocol

/// Counts the queries that touches of what was not loaded cost a context.
final class FaultLedger {
  /// The queries since the context was made.
  private(set) var count = 0
  /// The limit of the context itself.
  private(set) var limit: FaultBudget?
  private var scopes: [FaultBudget] = []
  private var depth = 0

  /// Gives the context another limit, and begins to count from zero for it.
  func setLimit(_ limit: FaultLimit?) { self.limit = limit.map { FaultBudget($0) } }

  /// Does what a touch of a property leads to.
  ///
  /// What that touches in turn belongs to the first touch.
  func touching(_ entity: StoreEntity, _ index: Int, _ body: () throws -> Void) rethrows {
    let before = count
    depth += 1
    defer {
      depth -= 1
      if depth == 0, count > before {
        spend(count - before, on: entity.properties[index].name, of: entity.name)
      }
    }
    try body()
  }

  /// Counts a query, if a touch is what it comes from.
  func queryHappens() {
    if depth > 0 { count += 1 }
  }

  private func spend(_ queries: Int, on property: String, of entity: String) {
    let budgets = scopes + (limit.map { [$0] } ?? [])
    guard !budgets.isEmpty else { return }
    let place = FaultPlace(entity: entity, property: property)
    for budget in budgets { budget.spend(queries, at: place) }
  }

  /// Throws where more was spent than a limit allows which throws; the context's own begins anew.
  func check() throws {
    for scope in scopes { try scope.check() }
    do {
      try limit?.check()
    } catch {
      limit = limit.map { FaultBudget($0.limit) }
      throw error
    }
  }

  /// Runs a closure under a limit of its own.
  func limited<Result>(
    to limit: FaultLimit,
    at place: String,
    _ body: () throws -> Result
  ) throws -> Result {
    let scope = FaultBudget(limit, scope: place)
    scopes.append(scope)
    defer { scopes.removeAll { $0 === scope } }
    let result = try body()
    try scope.check()
    return result
  }
}

/// A property that costs queries.
struct FaultPlace: Hashable {
  /// The entity.
  let entity: String
  /// The property.
  let property: String
}

/// What one limit allows, and what was spent of it.
final class FaultBudget {
  /// What is allowed.
  let limit: FaultLimit
  private let scope: String?
  private var spent = 0
  private var places: [FaultPlace] = []
  private var queries: [FaultPlace: Int] = [:]
  private var callStacks: [FaultPlace: [String]] = [:]
  private var reported: Set<FaultPlace> = []

  init(_ limit: FaultLimit, scope: String? = nil) {
    self.limit = limit
    self.scope = scope
  }

  /// Counts queries, and reports a property that goes beyond the limit for the first time.
  func spend(_ count: Int, at place: FaultPlace) {
    spent += count
    if queries[place] == nil {
      places.append(place)
      callStacks[place] = Thread.callStackSymbols
    }
    queries[place, default: 0] += count
    guard spent > limit.queries else { return }
    switch limit.response {
    case .throw: break
    case .log:
      guard reported.insert(place).inserted else { return }
      FileHandle.standardError.write(Data("\(exceeded(at: [place]))\n".utf8))
    case .report(let report):
      if reported.insert(place).inserted { report(exceeded(at: [place])) }
    }
  }

  /// Throws where more was spent than the limit allows and the limit is to throw.
  func check() throws {
    if case .throw = limit.response, spent > limit.queries { throw exceeded(at: places) }
  }

  private func exceeded(at places: [FaultPlace]) -> FaultLimitExceeded {
    FaultLimitExceeded(
      limit: limit.queries,
      queries: spent,
      touches: places.map {
        FaultTouch(
          entity: $0.entity,
          property: $0.property,
          queries: queries[$0] ?? 0,
          callStack: callStacks[$0] ?? []
        )
      },
      scope: scope
    )
  }
}
