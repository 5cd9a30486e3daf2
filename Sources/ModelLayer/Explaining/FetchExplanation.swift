import StoreProtocol

/// How a context would answer a fetch: what the store does alone, and what is done above it.
///
/// Print it to read it; ask ``isNative`` in a test that a fetch stays with the store.
public struct FetchExplanation: Hashable, Sendable, CustomStringConvertible {
  /// Where the answer comes from.
  public enum Source: Hashable, Sendable {
    /// From the store: nothing that the fetch looks at has unsaved changes.
    case store
    /// From the store, with the unsaved objects of the fetched models put in their place.
    case storeAndUnsavedObjects
    /// From all objects of the model, since unsaved changes of related objects may matter.
    case allObjects
  }

  /// The fetch as a plain value.
  public let query: StoreQuery
  /// Where the answer comes from.
  public let source: Source
  /// How the store answers.
  public let store: StoreExplanation

  /// Whether the store answers alone, without evaluating row by row.
  public var isNative: Bool { source == .store && store.isNative }

  /// Everything in several lines.
  public var description: String {
    var lines = ["fetch: \(query)", "answered by: \(source.words)", "store: \(store.store)"]
    lines += store.nativeFilter.map { ["filter in the store: \($0)"] } ?? []
    lines += store.remainingFilter.map { ["filter row by row: \($0)"] } ?? []
    lines.append("order: \(store.sortsNatively ? "by the store" : "in memory")")
    lines += store.statements.map { "statement: \($0)" }
    lines += store.steps.map { "step: \($0)" }
    if !store.indexes.isEmpty {
      lines.append("indexes: \(store.indexes.joined(separator: ", "))")
    }
    lines.append("rows looked at: \(store.rowsExamined.words)")
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
