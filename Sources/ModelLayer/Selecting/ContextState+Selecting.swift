import Foundation
import ModelRuntime
import QueryEvaluation
import StoreProtocol

extension ContextState {
  /// Reads the values of a selection that belongs to a plan.
  func select<T>(
    _ selection: StoreSelection,
    as plan: FetchPlan<T>,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try plan.checkNative(selection)
    if plan.isEvaluatedByStore {
      return try feed.noticing { try plan.registration.store.readValues(of: selection, body) }
    }
    // Filter, order and window of a projection are those of the objects' fetch; those of groups are
    // applied afterwards.
    let models = try selection.groups == nil ? plan.models() : plan.unwindowedModels()
    let live = LiveEvaluation(context: self, merges: try PendingMerges(in: self))
    var computed = try SelectionEvaluator(selection, evaluator: live.evaluator)
    for model in models {
      if let row = live.row(of: model) { try computed.add(row, body) }
    }
    try computed.finish(body)
  }

  /// Returns the descriptor of the rows of groups: their own order is not that of the groups.
  func grouped<T>(_ descriptor: FetchDescriptor<T>) throws -> FetchDescriptor<T> {
    guard descriptor.sortBy.isEmpty else {
      throw SwiftDataError.unsupportedSortDescriptor.with(
        "groups cannot be sorted by the descriptor's order of objects; pass `sortBy:` to the "
          + "fetch, and leave the descriptor's order empty",
        entity: Schema.entityName(for: T.self)
      )
    }
    return descriptor
  }
}
