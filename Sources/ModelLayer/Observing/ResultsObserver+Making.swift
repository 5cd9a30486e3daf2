import Foundation
import StoreProtocol

extension ResultsObserver where SectionTitle == Never {
  /// Creates an observer without sections.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch.
  ///   - modelContext: The context to fetch in.
  ///   - isolation: The isolation of the context; omit it.
  /// - Throws: Errors of the first fetch.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, in: modelContext, isolation: isolation)
  }

  /// Creates an observer without sections, in a new context.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch.
  ///   - modelContainer: The container of the new context.
  ///   - isolation: The isolation of the context; omit it.
  /// - Throws: Errors of the first fetch.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = ModelContext(modelContainer, isolation: isolation)
    try self.init(fetchDescriptor, nil, in: context, isolation: isolation)
  }

  /// Creates an observer without sections.
  ///
  /// - Parameters:
  ///   - filterBy: The condition for objects, or `nil` for all objects.
  ///   - sortBy: The order.
  ///   - modelContext: The context to fetch in.
  ///   - isolation: The isolation of the context; omit it.
  /// - Throws: Errors of the first fetch.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, nil, in: modelContext, isolation: isolation)
  }

  /// Creates an observer without sections, in a new context.
  ///
  /// - Parameters:
  ///   - filterBy: The condition for objects, or `nil` for all objects.
  ///   - sortBy: The order.
  ///   - modelContainer: The container of the new context.
  ///   - isolation: The isolation of the context; omit it.
  /// - Throws: Errors of the first fetch.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = ModelContext(modelContainer, isolation: isolation)
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, nil, in: context, isolation: isolation)
  }
}
