import Foundation
import StoreProtocol

extension ResultsObserver {
  /// Creates an observer with sections.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: What to fetch, in which order within a section.
  ///   - sectionBy: The title of an object's section.
  ///   - modelContext: The context to fetch in.
  ///   - isolation: The isolation of the context; leave it out.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store orders, and what the
  ///   first fetch throws.
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
  ///   - fetchDescriptor: What to fetch, in which order within a section.
  ///   - sectionBy: The title of an object's section.
  ///   - modelContainer: The container for which to make the context.
  ///   - isolation: The isolation of the context; leave it out.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store orders, and what the
  ///   first fetch throws.
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
  ///   - filterBy: What must hold for an object, nil for all.
  ///   - sortBy: The order within a section.
  ///   - sectionBy: The title of an object's section.
  ///   - modelContext: The context to fetch in.
  ///   - isolation: The isolation of the context; leave it out.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store orders, and what the
  ///   first fetch throws.
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
  ///   - filterBy: What must hold for an object, nil for all.
  ///   - sortBy: The order within a section.
  ///   - sectionBy: The title of an object's section.
  ///   - modelContainer: The container for which to make the context.
  ///   - isolation: The isolation of the context; leave it out.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store orders, and what the
  ///   first fetch throws.
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
  /// Creates an observer with sections of titles that may be absent.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: What to fetch, in which order within a section.
  ///   - sectionBy: The title of an object's section; without one it is empty.
  ///   - modelContext: The context to fetch in.
  ///   - isolation: The isolation of the context; leave it out.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store orders, and what the
  ///   first fetch throws.
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

  /// Creates an observer with sections of titles that may be absent, in a new context.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: What to fetch, in which order within a section.
  ///   - sectionBy: The title of an object's section; without one it is empty.
  ///   - modelContainer: The container for which to make the context.
  ///   - isolation: The isolation of the context; leave it out.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store orders, and what the
  ///   first fetch throws.
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

  /// Creates an observer with sections of titles that may be absent.
  ///
  /// - Parameters:
  ///   - filterBy: What must hold for an object, nil for all.
  ///   - sortBy: The order within a section.
  ///   - sectionBy: The title of an object's section; without one it is empty.
  ///   - modelContext: The context to fetch in.
  ///   - isolation: The isolation of the context; leave it out.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store orders, and what the
  ///   first fetch throws.
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

  /// Creates an observer with sections of titles that may be absent, in a new context.
  ///
  /// - Parameters:
  ///   - filterBy: What must hold for an object, nil for all.
  ///   - sortBy: The order within a section.
  ///   - sectionBy: The title of an object's section; without one it is empty.
  ///   - modelContainer: The container for which to make the context.
  ///   - isolation: The isolation of the context; leave it out.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for titles that no store orders, and what the
  ///   first fetch throws.
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
