import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

/// New objects that a save merges into others leave the results of observers.
@Suite("Results with merged objects", .timeLimit(.minutes(30)))
struct MergedResultsTests {
  private static let byCode = [SortDescriptor(\Invoice.code)]

  private struct Observers {
    let all: ResultsObserver<Invoice, Never>
    let filtered: ResultsObserver<Invoice, Never>
    let sections: ResultsObserver<Invoice, String>

    init(_ context: ModelContext) throws {
      all = try ResultsObserver(sortBy: byCode, modelContext: context)
      filtered = try ResultsObserver(
        filterBy: #Predicate { $0.number > 1 },
        sortBy: byCode,
        modelContext: context
      )
      sections = try ResultsObserver(sectionBy: \.code, modelContext: context)
    }

    func look() {
      _ = (all.results.count, filtered.results.count, sections.sections?.count)
    }

    func expectFetched(_ context: ModelContext, _ comment: Comment) throws {
      let fetched = try context.fetch(FetchDescriptor<Invoice>(sortBy: byCode))
      #expect(all.results.map(\.number) == fetched.map(\.number), comment)
      #expect(Array(all.results) == fetched, comment)
      #expect(Array(filtered.results) == fetched.filter { $0.number > 1 }, comment)
      #expect(sections.sections?.flatMap { Array($0) } == fetched, comment)
    }
  }

  @Test(
    arguments: EveryStore.withServer,
    [(false, false), (false, true), (true, false), (true, true)]
  )
  func `contain each object once and in order`(
    _ store: EveryStore,
    _ setting: (looksBefore: Bool, isStoredByOther: Bool)
  ) throws {
    let folder = try TemporaryFolder()
    let container = try emptyContainer(store.url(in: folder))
    let context = ModelContext(container, isolation: nil)
    let observers = try Observers(context)
    if setting.isStoredByOther {
      try container.edit { $0.insert(Invoice(1, code: "x")) }
    } else {
      context.insert(Invoice(1, code: "x"))
      try context.save()
    }
    context.insert(Invoice(9, code: "w"))
    try observers.expectFetched(context, "before")
    context.insert(Invoice(2, code: "x"))
    context.insert(Invoice(3, code: "x"))
    if setting.looksBefore { observers.look() }
    try context.save()
    try observers.expectFetched(context, "after the merge")
    #expect(observers.all.results.map(\.number) == [9, 3])
    context.insert(Invoice(5, code: "y"))
    try context.save()
    try observers.expectFetched(context, "after another save")
  }

  @Test(arguments: EveryStore.withServer)
  func `contain one of two new objects with one unique value`(_ store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try emptyContainer(store.url(in: folder)), isolation: nil)
    let observers = try Observers(context)
    for number in 2...4 { context.insert(Invoice(number, code: "x")) }
    observers.look()
    try context.save()
    try observers.expectFetched(context, "after the merge")
    #expect(observers.all.results.map(\.number) == [4])
  }
}
