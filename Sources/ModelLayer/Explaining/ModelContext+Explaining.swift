import Foundation
import StoreProtocol

extension ModelContext {
  /// Explains how a fetch would be evaluated, without evaluating it.
  ///
  /// ```swift
  /// print(try context.explain(descriptor))
  /// ```
  ///
  /// - Throws: The errors that ``fetch(_:)-(FetchDescriptor<T>)`` throws before it reads anything.
  public func explain<T>(_ descriptor: FetchDescriptor<T>) throws -> FetchExplanation
  where T: PersistentModel {
    try FetchPlan(descriptor, isExplained: true, in: state).explanation()
  }

  /// Explains how the groups of a fetch would be computed.
  ///
  /// See `fetch(_:groupedBy:aggregates:having:sortBy:)`.
  ///
  /// - Throws: The errors that the fetch throws before it reads anything.
  public func explain<T, each Key, each Value>(
    _ descriptor: FetchDescriptor<T>,
    groupedBy keys: repeat KeyPath<T, each Key>,
    aggregates: repeat Aggregate<T, each Value>,
    having condition: GroupCondition<T>? = nil,
    sortBy order: [GroupOrder<T>] = []
  ) throws -> FetchExplanation where T: PersistentModel {
    let plan = try FetchPlan(state.grouped(descriptor), isExplained: true, in: state)
    var builder = SelectionBuilder<T>(plan.query, in: state.queryScope(of: T.self))
    repeat try builder.group(by: each keys)
    repeat try builder.compute(each aggregates)
    return try plan.explanation(of: builder.selection(having: condition, order: order))
  }
}
