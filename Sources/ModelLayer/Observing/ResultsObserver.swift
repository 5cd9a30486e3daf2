import Foundation
import Observation
import StoreProtocol

/// The objects of a fetch, kept up to date for views and other observers.
///
/// ```swift
/// let books = try ResultsObserver<Book, Never>(
///   filterBy: #Predicate { $0.isPublished },
///   sortBy: [SortDescriptor(\.title)],
///   modelContext: context
/// )
/// for book in books.results { print(book.title) }
/// ```
///
/// The results follow unsaved changes of their own context and saves of other contexts of the
/// container. They also follow saves of other processes if the store can detect them. They are
/// fetched again only after changes that can affect them. For objects in the results, or objects
/// that may join them, these are changes of properties that the filter, the order or the sections
/// read. Changes of objects that the filter or the order refer to count too. All changes until the
/// next turn of the isolation cost at most one fetch.
///
/// `SectionTitle` is `Never` if there are no sections. The observer belongs to the isolation of its
/// context, like the objects. Outside of any actor it cannot be notified: there it checks for
/// changes whenever it is read. It ends with the last reference to it.
public final class ResultsObserver<Element, SectionTitle>: Observable
where Element: PersistentModel, SectionTitle: Hashable {
  /// The context of the objects.
  public let modelContext: ModelContext
  let liveResults: LiveResults<Element>
  /// Called after the results, their sections or the error have changed.
  var onChange: (() -> Void)?
  private let registrar = ObservationRegistrar()
  private let checksWhenRead: Bool
  private var shown: FetchResultsCollection<Element>
  private var shownSections: SectionedResults<Element, SectionTitle>?
  private var shownFailure: (any Error)?
  private var sectioning: Sectioning<Element, SectionTitle>?

  init(
    _ descriptor: FetchDescriptor<Element>,
    _ sectioning: Sectioning<Element, SectionTitle>?,
    in context: ModelContext,
    isolation: (any Actor)?
  ) throws {
    let isolation = isolation.map { ContextIsolation($0) } ?? context.state.isolation
    modelContext = context
    self.sectioning = sectioning
    if case .unknown = isolation { checksWhenRead = true } else { checksWhenRead = false }
    liveResults = try LiveResults(
      descriptor,
      sortedFirstBy: sectioning?.keyPath,
      in: context,
      isolation: isolation
    )
    shown = FetchResultsCollection(liveResults.models)
    liveResults.onChange = { [weak self] _ in self?.update() }
  }

  /// The objects as of the last turn.
  public var results: FetchResultsCollection<Element> {
    look(\.results)
    return shown
  }

  /// The objects in sections of equal titles, in the order of their first objects, or `nil` without
  /// sections.
  public var sections: SectionedResults<Element, SectionTitle>? {
    look(\.sections)
    guard let sectioning else { return nil }
    if let shownSections { return shownSections }
    let made = SectionedResults(liveResults.models, by: sectioning.title)
    shownSections = made
    return made
  }

  /// Returns the object at an index path, or `nil` without sections and outside of them.
  ///
  /// - Parameter indexPath: The position of a section, then that of the object in it.
  /// - Returns: The object.
  public func element(at indexPath: IndexPath) -> Element? {
    guard let sections, indexPath.count == 2, sections.indices.contains(indexPath[0]),
      sections[indexPath[0]].indices.contains(indexPath[1])
    else { return nil }
    return sections[indexPath[0]][indexPath[1]]
  }

  /// Returns the index path of an object, or `nil` without sections and if it is in none.
  ///
  /// - Complexity: O(*n*) in the objects.
  public func indexPath(for element: Element) -> IndexPath? {
    guard let sections else { return nil }
    // A changed title of the object may not have moved it yet.
    for (position, section) in sections.enumerated() {
      if let index = section.firstIndex(where: { $0 === element }) { return [position, index] }
    }
    return nil
  }

  /// The error of the last fetch, or `nil` if it succeeded.
  ///
  /// After an error, the results are those of the last successful fetch.
  public var fetchError: (any Error)? {
    look(\.fetchError)
    return shownFailure
  }

  /// The fetch; with sections, their key path comes first in the order.
  ///
  /// Setting it fetches at once. If that fails, ``fetchError`` has the error, and everything else
  /// is unchanged.
  public var fetchDescriptor: FetchDescriptor<Element> {
    get {
      look(\.fetchDescriptor)
      return liveResults.descriptor
    }
    set { change(to: newValue, sectioning) }
  }

  /// The condition for objects, or `nil` for all objects; see ``fetchDescriptor``.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { fetchDescriptor.predicate = newValue }
  }

  /// The order within a section; see ``fetchDescriptor``.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set { fetchDescriptor.sortBy = newValue }
  }

  /// The key path to the title of an object's section, or `nil` without sections.
  ///
  /// Its value is a `SectionTitle`, or a `String?` if that is `String`; any other is refused with
  /// ``fetchError``. See ``fetchDescriptor``.
  public var sectionBy: PartialKeyPath<Element>? {
    get {
      look(\.sectionBy)
      return sectioning?.keyPath
    }
    set {
      do {
        change(to: liveResults.descriptor, try newValue.map { try Sectioning($0) })
      } catch {
        show(failure: error)
      }
    }
  }

  /// Updates the results now, and fetches again if the last fetch failed.
  ///
  /// Call it only if the next turn is too late.
  ///
  /// - Throws: Errors of the fetch; the results are then unchanged.
  public func refresh() throws {
    modelContext.state.updater?.turn()
    if liveResults.failure != nil { update() }
    if let failure = liveResults.failure { throw failure }
  }

  private func look<Member>(_ property: KeyPath<ResultsObserver, Member>) {
    if checksWhenRead { modelContext.state.updater?.turn() }
    registrar.access(self, keyPath: property)
  }

  /// Fetches, and publishes the result.
  private func update() {
    let hasChanged = liveResults.refetch()
    if hasChanged { show() } else { showSections() }
    if liveResults.failure != nil || shownFailure != nil { show(failure: liveResults.failure) }
  }

  private func change(
    to descriptor: FetchDescriptor<Element>,
    _ sectioning: Sectioning<Element, SectionTitle>?
  ) {
    do {
      try liveResults.change(to: descriptor, sortedFirstBy: sectioning?.keyPath)
      self.sectioning = sectioning
      registrar.withMutation(of: self, keyPath: \.fetchDescriptor) {
        registrar.withMutation(of: self, keyPath: \.sectionBy) { show() }
      }
      if shownFailure != nil { show(failure: nil) }
    } catch {
      show(failure: error)
    }
  }

  private func show() {
    registrar.withMutation(of: self, keyPath: \.results) {
      registrar.withMutation(of: self, keyPath: \.sections) {
        shown = FetchResultsCollection(liveResults.models)
        shownSections = nil
      }
    }
    onChange?()
  }

  /// Publishes the same objects in other sections, if their titles have changed.
  private func showSections() {
    guard let sectioning, let shownSections else { return }
    let made = SectionedResults(liveResults.models, by: sectioning.title)
    let isSame = made.elementsEqual(shownSections) { $0.title == $1.title && $0.count == $1.count }
    if isSame { return }
    registrar.withMutation(of: self, keyPath: \.sections) { self.shownSections = made }
    onChange?()
  }

  private func show(failure: (any Error)?) {
    registrar.withMutation(of: self, keyPath: \.fetchError) { shownFailure = failure }
    onChange?()
  }
}

extension ResultsObserver: CustomDebugStringConvertible {
  public var debugDescription: String {
    let sections = sections.map { ", \($0.count) sections" } ?? ""
    let error = fetchError.map { ", \($0)" } ?? ""
    return "ResultsObserver<\(Element.self)>: \(results.count) objects\(sections)\(error)"
  }
}
