import StoreProtocol

/// The part of a property such as `@Query` that does not depend on a user interface library.
///
/// ```swift
/// let trips = QueryCore<Trip, Never>(sortedByName) { view.invalidate() }
/// trips.update(in: context)  // before the view is drawn
/// for trip in trips.results { … }
/// ```
///
/// A property of a view holds it, and passes the context of the view's environment each time before
/// the view is drawn. Results change as those of a ``ResultsObserver`` do, at the next turn of the
/// isolation; a change that does not affect them has no effect on the view.
public final class QueryCore<Element, SectionTitle>
where Element: PersistentModel, SectionTitle: Hashable {
  /// The fetch.
  ///
  /// Setting it fetches at once, without a call of `onChange`: the view that sets it is being
  /// drawn. If the fetch fails, the results are unchanged.
  public var fetchDescriptor: FetchDescriptor<Element> {
    didSet {
      isSetting = true
      observer?.fetchDescriptor = fetchDescriptor
      isSetting = false
    }
  }

  /// The number of calls of `onChange`.
  public private(set) var changeCount = 0

  private let sectionBy: PartialKeyPath<Element>?
  private let onChange: () -> Void
  private var observer: ResultsObserver<Element, SectionTitle>?
  private var failure: (any Error)?
  private var isCurrent = false
  private var isSetting = false

  /// Creates a query without results.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch.
  ///   - sectionBy: The title of an object's section, or `nil` for no sections.
  ///   - onChange: Called once when the results, their sections or the error have changed since the
  ///     last ``update(in:isolation:)``.
  public init(
    _ fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(),
    sectionBy: PartialKeyPath<Element>? = nil,
    onChange: @escaping () -> Void
  ) {
    self.fetchDescriptor = fetchDescriptor
    self.sectionBy = sectionBy
    self.onChange = onChange
  }

  /// Fetches if the context is another one than before, or if the first fetch failed.
  ///
  /// - Parameters:
  ///   - context: The context to fetch in.
  ///   - isolation: The isolation of the context; omit it.
  public func update(in context: ModelContext, isolation: isolated (any Actor)? = #isolation) {
    isCurrent = true
    guard observer?.modelContext !== context else { return }
    do {
      let made = try ResultsObserver<Element, SectionTitle>(
        fetchDescriptor,
        sectionBy.map { try Sectioning($0) },
        in: context,
        isolation: isolation
      )
      made.onChange = { [weak self] in self?.change() }
      (observer, failure) = (made, nil)
    } catch {
      (observer, failure) = (nil, error)
    }
  }

  /// The objects; none before the first update.
  public var results: FetchResultsCollection<Element> {
    observer?.results ?? FetchResultsCollection([])
  }

  /// The objects in sections, or `nil` without sections.
  public var sections: SectionedResults<Element, SectionTitle>? { observer?.sections }

  /// The error of the last fetch, or `nil` if it succeeded.
  public var fetchError: (any Error)? { failure ?? observer?.fetchError }

  private func change() {
    guard isCurrent, !isSetting else { return }
    isCurrent = false
    changeCount += 1
    onChange()
  }
}
