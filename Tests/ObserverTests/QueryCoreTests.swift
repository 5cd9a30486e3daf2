import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

@Suite("The core of a query for views")
struct QueryCoreTests {
  /// A view of a library of its own.
  private final class View {
    var isValid = false
    let trips: QueryCore<Trip, String>

    init(_ descriptor: FetchDescriptor<Trip>) {
      var invalidate: () -> Void = {}
      trips = QueryCore(descriptor, sectionBy: \.destination) { invalidate() }
      invalidate = { [unowned self] in isValid = false }
    }

    func draw(in context: ModelContext) -> [String] {
      trips.update(in: context)
      isValid = true
      return trips.results.map(\.name)
    }
  }

  private let container: ModelContainer
  private let context: ModelContext
  private let view = View(.longer(than: 3))

  init() throws {
    container = try emptyContainer()
    try container.edit { $0.insert(Trip("a", days: 5)) }
    context = ModelContext(container, isolation: nil)
  }

  /// The turn of a context outside of actors.
  private func turn() { context.state.updater?.turn() }

  @Test func `has results after the first update`() {
    #expect(view.trips.results.isEmpty && view.trips.sections == nil)
    #expect(view.draw(in: context) == ["a"])
    #expect(view.trips.sections?.sectionTitles == ["Oslo"])
    #expect(view.trips.changeCount == 0)
  }

  @Test func `a change of the results invalidates the view once`() throws {
    _ = view.draw(in: context)
    context.insert(Trip("b", days: 6))
    turn()
    #expect(!view.isValid && view.trips.changeCount == 1)
    try container.edit { $0.insert(Trip("c", days: 7)) }
    turn()
    #expect(view.trips.changeCount == 1)
    #expect(view.draw(in: context) == ["a", "b", "c"])
  }

  @Test func `a change that does not affect the results does not invalidate the view`() throws {
    _ = view.draw(in: context)
    context.insert(Trip("short", days: 1))
    context.insert(Invoice(1))
    try container.edit { $0.insert(Trip("other", days: 2)) }
    try container.edit(trip: "a") { $0.note = "x" }
    turn()
    #expect(view.isValid && view.trips.changeCount == 0)
  }

  @Test func `another filter is fetched at once and does not invalidate the view`() throws {
    try container.edit { $0.insert(Trip("b", days: 9)) }
    #expect(view.draw(in: context) == ["a", "b"])
    view.trips.fetchDescriptor = .longer(than: 8)
    #expect(view.trips.results.map(\.name) == ["b"])
    #expect(view.isValid && view.trips.changeCount == 0)
    try container.edit { $0.insert(Trip("c", days: 10)) }
    turn()
    #expect(!view.isValid && view.draw(in: context) == ["b", "c"])
  }

  @Test func `another context is fetched with the next update`() throws {
    _ = view.draw(in: context)
    let other = try emptyContainer()
    #expect(view.draw(in: ModelContext(other, isolation: nil)) == [])
    #expect(view.draw(in: context) == ["a"])
  }

  @Test func `an error of the first fetch is kept, and the next update fetches again`() throws {
    let trips = QueryCore<Trip, Int>(sectionBy: \.name) {}
    trips.update(in: context)
    #expect(trips.fetchError as? SwiftDataError == .unsupportedKeyPath)
    #expect(trips.results.isEmpty)
  }
}
