import Foundation
import OpenSwiftData
import Testing

@testable import ModelLayer

@Suite("Sections of results")
struct SectionedResultsTests {
  private let context: ModelContext
  private let observer: ResultsObserver<Trip, String>

  init() throws {
    let container = try emptyContainer()
    context = ModelContext(container, isolation: nil)
    context.insert(Trip("a", to: "Oslo"))
    context.insert(Trip("b", to: "Rome"))
    context.insert(Trip("c", to: "Rome"))
    try context.save()
    observer = try ResultsObserver(
      fetchDescriptor: tripsByName,
      sectionBy: \.destination,
      modelContext: context
    )
  }

  @Test func `are found by their titles`() throws {
    let sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["Oslo", "Rome"])
    #expect(sections.contains(sectionTitle: "Rome"))
    #expect(!sections.contains(sectionTitle: "Bern"))
    #expect(sections.index(ofSectionTitled: "Rome") == 1)
    #expect(sections.index(ofSectionTitled: "Bern") == nil)
  }

  @Test func `are equal if titles and objects are`() throws {
    let before = try #require(observer.sections)
    #expect(before == observer.sections)
    #expect(before[0] == before[0] && before[0] != before[1])
    context.insert(Trip("d", to: "Rome"))
    #expect(before != observer.sections)
  }

  @Test func `objects are found by index paths, and index paths by objects`() throws {
    let last = try #require(observer.element(at: [1, 1]))
    #expect(last.name == "c")
    #expect(observer.indexPath(for: last) == [1, 1])
    for outside: IndexPath in [[], [0], [0, 1], [2, 0], [-1, 0], [0, -1], [0, 0, 0]] {
      #expect(observer.element(at: outside) == nil)
    }
    #expect(observer.indexPath(for: Trip("e")) == nil)
    let plain = try ResultsObserver<Trip, Never>(
      fetchDescriptor: tripsByName,
      modelContext: context
    )
    #expect(plain.element(at: [0, 0]) == nil && plain.indexPath(for: last) == nil)
  }

  @Test func `the description of an observer counts objects and sections`() {
    #expect(observer.debugDescription == "ResultsObserver<Trip>: 3 objects, 2 sections")
  }
}
