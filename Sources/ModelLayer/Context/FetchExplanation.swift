import StoreProtocol

/// An explanation of how a context would evaluate a fetch: which parts the store computes, and
/// which the context.
///
/// Print it to read it. Use ``isNative`` in a test to check that the store evaluates a fetch alone.
public struct FetchExplanation: Hashable, Sendable, CustomStringConvertible {
  /// The origin of a result.
  public enum Source: Hashable, Sendable {
    /// The store: nothing that the fetch reads has unsaved changes.
    case store
    /// The store, with the unsaved objects of the fetched models in place of their rows.
    case storeAndUnsavedObjects
    /// All objects of the model, since unsaved changes of related objects may matter.
    case allObjects
  }

  /// The fetch as a plain value.
  public let query: StoreQuery
  /// The origin of the result.
  public let source: Source
  /// The explanation of the store's part.
  public let store: StoreExplanation

  /// A Boolean value that indicates whether the store evaluates the fetch alone, without row-by-row
  /// evaluation.
  public var isNative: Bool { source == .store && store.isNative }

  /// The whole explanation in several lines.
  public var description: String {
    var lines = ["fetch: \(query)", "results from: \(source.words)", "store: \(store.store)"]
    lines += store.nativeFilter.map { ["filter in the store: \($0)"] } ?? []
    lines += store.remainingFilter.map { ["filter row by row: \($0)"] } ?? []
    lines.append("order: \(store.sortsNatively ? "by the store" : "in memory")")
    lines += store.statements.map { "statement: \($0)" }
    lines += store.steps.map { "step: \($0)" }
    if !store.indexes.isEmpty {
      lines.append("indexes: \(store.indexes.joined(separator: ", "))")
    }
    if !store.missingIndex.isEmpty {
      let keys = store.missingIndex.map { "\\.\($0)" }.joined(separator: ", ")
      let entity = store.missingIndexEntity ?? query.entity
      lines.append("missing index: #Index<\(entity)>([\(keys)])")
    }
    lines.append("rows examined: \(store.rowsExamined.words)")
    return lines.joined(separator: "\n")
  }
}

extension FetchExplanation.Source {
  fileprivate var words: String {
    switch self {
    case .store: "the store"
    case .storeAndUnsavedObjects: "the store and unsaved objects"
    case .allObjects: "all objects of the model, one by one"
    }
  }
}

extension StoreExplanation.Cost {
  fileprivate var words: String {
    switch self {
    case .rows(let count): "\(count)"
    case .about(let count): "about \(count)"
    case .unknown: "unknown"
    }
  }
}
