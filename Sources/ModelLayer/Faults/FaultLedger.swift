import Foundation
import StoreProtocol

/// Counts the queries of a context that loading on access causes.
final class FaultLedger {
  /// The queries since the context was created.
  private(set) var count = 0
  /// The limit of the context itself.
  var limit: FaultBudget?
  private var scopes: [FaultBudget] = []
  private var depth = 0

  /// Runs the loading that an access of a property causes.
  ///
  /// Queries of nested accesses count for the outermost one.
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

  /// Counts a query, if an access causes it.
  func queryHappens() {
    if depth > 0 { count += 1 }
  }

  private func spend(_ queries: Int, on property: String, of entity: String) {
    for budget in scopes + (limit.map { [$0] } ?? []) {
      budget.spend(queries, on: property, of: entity)
    }
  }

  /// Throws if the queries exceed a limit that throws; the count of the context's own limit then
  /// restarts.
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
    at location: String,
    _ body: () throws -> Result
  ) throws -> Result {
    let scope = FaultBudget(limit, scope: location)
    scopes.append(scope)
    defer { scopes.removeAll { $0 === scope } }
    let result = try body()
    try scope.check()
    return result
  }
}

/// One limit, and the queries counted against it.
final class FaultBudget {
  let limit: FaultLimit
  private let scope: String?
  private var spent = 0
  /// The properties that cost queries, in the order of the first accesses.
  private var touches: [FaultTouch] = []
  /// The indices of the properties that were reported.
  private var reported: Set<Int> = []

  init(_ limit: FaultLimit, scope: String? = nil) {
    self.limit = limit
    self.scope = scope
  }

  /// Counts queries, and reports a property when it exceeds the limit for the first time.
  func spend(_ count: Int, on property: String, of entity: String) {
    spent += count
    let known = touches.firstIndex { $0.property == property && $0.entity == entity }
    let index = known ?? touches.count
    if known == nil {
      touches.append(
        FaultTouch(
          entity: entity,
          property: property,
          queries: 0,
          callStack: Thread.callStackSymbols
        )
      )
    }
    touches[index].queries += count
    guard spent > limit.queries, reported.insert(index).inserted else { return }
    switch limit.response {
    case .throw: break
    case .log:
      FileHandle.standardError.write(Data("\(exceeded(at: [touches[index]]))\n".utf8))
    case .report(let report): report(exceeded(at: [touches[index]]))
    }
  }

  /// Throws if the queries exceed the limit and the limit throws.
  func check() throws {
    if case .throw = limit.response, spent > limit.queries { throw exceeded(at: touches) }
  }

  private func exceeded(at touches: [FaultTouch]) -> FaultLimitExceeded {
    FaultLimitExceeded(limit: limit.queries, queries: spent, touches: touches, scope: scope)
  }
}
