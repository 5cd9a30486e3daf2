import Foundation
import StoreProtocol

extension ResultsObserver {
  /// Creates an observer with sections.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch, and the order within a section.
  ///   - sectionBy: The title of an object's section.
  ///   - modelContext: The context to fetch in.
  ///   - isolation: The isolation of the context; omit it.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store can sort, and
  ///   errors of the first fetch.
  @_disfavoredOverload
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, SectionTitle>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Sectioning(sectionBy), in: modelContext, isolation: isolation)
  }

  /// Creates an observer with sections, in a new context.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch, and the order within a section.
  ///   - sectionBy: The title of an object's section.
  ///   - modelContainer: The container of the new context.
  ///   - isolation: The isolation of the context; omit it.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store can sort, and
  ///   errors of the first fetch.
  @_disfavoredOverload
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, SectionTitle>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = ModelContext(modelContainer, isolation: isolation)
    try self.init(fetchDescriptor, Sectioning(sectionBy), in: context, isolation: isolation)
  }

  /// Creates an observer with sections.
  ///
  /// - Parameters:
  ///   - filterBy: The condition for objects, or `nil` for all objects.
  ///   - sortBy: The order within a section.
  ///   - sectionBy: The title of an object's section.
  ///   - modelContext: The context to fetch in.
  ///   - isolation: The isolation of the context; omit it.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store can sort, and
  ///   errors of the first fetch.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, SectionTitle>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, Sectioning(sectionBy), in: modelContext, isolation: isolation)
  }

  /// Creates an observer with sections, in a new context.
  ///
  /// - Parameters:
  ///   - filterBy: The condition for objects, or `nil` for all objects.
  ///   - sortBy: The order within a section.
  ///   - sectionBy: The title of an object's section.
  ///   - modelContainer: The container of the new context.
  ///   - isolation: The isolation of the context; omit it.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store can sort, and
  ///   errors of the first fetch.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, SectionTitle>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = ModelContext(modelContainer, isolation: isolation)
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, Sectioning(sectionBy), in: context, isolation: isolation)
  }
}

extension ResultsObserver where SectionTitle == String {
  /// Creates an observer with sections of optional titles.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch, and the order within a section.
  ///   - sectionBy: The title of an object's section; `nil` counts as an empty title.
  ///   - modelContext: The context to fetch in.
  ///   - isolation: The isolation of the context; omit it.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store can sort, and
  ///   errors of the first fetch.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor,
      Sectioning(optional: sectionBy),
      in: modelContext,
      isolation: isolation
    )
  }

  /// Creates an observer with sections of optional titles, in a new context.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch, and the order within a section.
  ///   - sectionBy: The title of an object's section; `nil` counts as an empty title.
  ///   - modelContainer: The container of the new context.
  ///   - isolation: The isolation of the context; omit it.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store can sort, and
  ///   errors of the first fetch.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = ModelContext(modelContainer, isolation: isolation)
    try self.init(
      fetchDescriptor,
      Sectioning(optional: sectionBy),
      in: context,
      isolation: isolation
    )
  }

  /// Creates an observer with sections of optional titles.
  ///
  /// - Parameters:
  ///   - filterBy: The condition for objects, or `nil` for all objects.
  ///   - sortBy: The order within a section.
  ///   - sectionBy: The title of an object's section; `nil` counts as an empty title.
  ///   - modelContext: The context to fetch in.
  ///   - isolation: The isolation of the context; omit it.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store can sort, and
  ///   errors of the first fetch.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(
      descriptor,
      Sectioning(optional: sectionBy),
      in: modelContext,
      isolation: isolation
    )
  }

  /// Creates an observer with sections of optional titles, in a new context.
  ///
  /// - Parameters:
  ///   - filterBy: The condition for objects, or `nil` for all objects.
  ///   - sortBy: The order within a section.
  ///   - sectionBy: The title of an object's section; `nil` counts as an empty title.
  ///   - modelContainer: The container of the new context.
  ///   - isolation: The isolation of the context; omit it.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store can sort, and
  ///   errors of the first fetch.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = ModelContext(modelContainer, isolation: isolation)
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
    try self.init(descriptor, Sectioning(optional: sectionBy), in: context, isolation: isolation)
  }
}
