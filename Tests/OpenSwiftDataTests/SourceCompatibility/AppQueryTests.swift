import Foundation
import OpenSwiftData
import Testing

@Suite("Queries of real programs")
struct AppQueryTests {
  private func years(
    _ store: CompatibleStore,
    _ predicate: Predicate<Book>
  ) throws -> [Int] {
    var descriptor = FetchDescriptor<Book>(
      predicate: predicate,
      sortBy: [SortDescriptor(\.year)]
    )
    // Captured values are constants: each store evaluates the predicate natively.
    descriptor.requiresNative = true
    let found = try ModelContext(store.open()).fetch(descriptor)
    let all = try ModelContext(store.open()).fetch(
      FetchDescriptor<Book>(sortBy: [SortDescriptor(\.year)])
    )
    // Foundation evaluates the same predicate as the stores.
    #expect(try all.filter(predicate.evaluate).map(\.year) == found.map(\.year))
    return found.map(\.year)
  }

  private func filled(_ kind: CompatibleKind) throws -> CompatibleStore {
    let store = try CompatibleStore(kind, for: Book.self, Writer.self)
    let context = ModelContext(try store.open())
    for object in Book.shelf() { context.insert(object) }
    try context.save()
    return store
  }

  @Test(arguments: CompatibleKind.allCases)
  func `key paths on captured values are evaluated`(kind: CompatibleKind) throws {
    let store = try filled(kind)
    let query = BookQuery()
    let (range, interval) = (query.years, DateInterval(start: .distantPast, duration: 60))
    #expect(
      try years(store, #Predicate { $0.year >= range.lowerBound && $0.year <= range.upperBound })
        == [2000, 2010]
    )
    #expect(try years(store, #Predicate { range.contains($0.year) }) == [2000, 2010])
    #expect(try years(store, #Predicate { query.years.contains($0.year) }) == [2000, 2010])
    #expect(try years(store, #Predicate { query.open.contains($0.year) }) == [2000, 2010, 2020])
    #expect(try years(store, #Predicate { query.prices.contains($0.price) }) == [2000, 2010])
    #expect(try years(store, #Predicate { query.words.contains($0.title) }) == [2000, 2010, 2020])
    #expect(try years(store, #Predicate { $0.title == query.search.text }) == [2000, 2020])
    #expect(try years(store, #Predicate { $0.year > query.years.lowerBound + 10 }) == [2010, 2020])
    #expect(try years(store, #Predicate { $0.price > interval.duration - 35 }) == [2010, 2020])
    #expect(try years(store, #Predicate { $0.title.count == query.search.text.count }).count == 4)
  }

  @Test(arguments: CompatibleKind.allCases)
  func `optional chains on captured values are evaluated`(kind: CompatibleKind) throws {
    let store = try filled(kind)
    var query = BookQuery()
    let (limit, missing) = (query.limit, query.search.missing)
    #expect(try years(store, #Predicate { $0.year > limit?.year ?? 0 }) == [2010, 2020])
    #expect(try years(store, #Predicate { $0.year > limit!.year }) == [2010, 2020])
    #expect(try years(store, #Predicate { $0.note == missing }) == [1990, 2010, 2020])
    query.limit = nil
    let none = query.limit
    #expect(try years(store, #Predicate { $0.year > none?.year ?? 2015 }) == [2020])
    #expect(try years(store, #Predicate { $0.note == query.search.missing }).count == 3)
  }

  @Test(arguments: CompatibleKind.allCases)
  func `interval bounds and nested optionals of captured values are evaluated`(
    kind: CompatibleKind
  ) throws {
    let store = try filled(kind)
    let interval = DateInterval(start: Date(timeIntervalSince1970: 1995), duration: 20)
    #expect(
      try years(store, #Predicate { $0.added >= interval.start && $0.added < interval.end })
        == [2000, 2010]
    )
    var query = BookQuery()
    let (first, none) = (query.page, Optional<DateInterval>.none)
    #expect(try years(store, #Predicate { $0.year > first?.limit?.year ?? 0 }) == [2010, 2020])
    query.page?.limit = nil
    let second = query.page
    #expect(try years(store, #Predicate { $0.year > second?.limit?.year ?? 2015 }) == [2020])
    let past = Date.distantPast
    #expect(try years(store, #Predicate { $0.added > none?.end ?? past }).count == 4)
  }

  @Test(arguments: CompatibleKind.allCases)
  func `every standard comparator orders as the stores do`(kind: CompatibleKind) throws {
    let store = try filled(kind)
    let context = ModelContext(try store.open())
    let comparators: [String.StandardComparator] = [.localizedStandard, .localized, .lexical]
    for comparator in comparators {
      let descriptor = FetchDescriptor<Book>(
        sortBy: [SortDescriptor(\.title, comparator: comparator), SortDescriptor(\.year)]
      )
      #expect(try context.fetch(descriptor).map(\.title) == ["b", "b", "c", "d"])
    }
    let reversed = FetchDescriptor<Book>(
      sortBy: [
        SortDescriptor(\.note, comparator: .localizedStandard, order: .reverse),
        SortDescriptor(\.title, comparator: .localizedStandard, order: .reverse),
        SortDescriptor(\.year),
      ]
    )
    #expect(try context.fetch(reversed).map(\.year) == [2000, 1990, 2010, 2020])
    #expect(["b", "a"].sorted(using: .localizedStandard) == ["a", "b"])
  }

  @Test(arguments: CompatibleKind.allCases)
  func `a single selected value has its own type`(kind: CompatibleKind) throws {
    let store = try filled(kind)
    defer { withExtendedLifetime(store) {} }
    let context = ModelContext(try store.open())
    let all = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.year)])
    #expect(Set(try context.fetch(all, select: \.title)) == ["b", "c", "d"])
    var seen: [String] = []
    for title in try context.fetch(all, select: \.title).sorted() { seen.append(title) }
    #expect(seen == ["b", "b", "c", "d"])
    #expect(try context.fetch(all, select: \.title).joined() == "dbcb")
    #expect(try context.fetch(all, select: \.writer?.name).compactMap { $0 }.count == 4)
    #expect(try context.fetch(all, select: \.title, \.year).map(\.1) == [1990, 2000, 2010, 2020])
    let any = FetchDescriptor<Book>()
    #expect(try context.fetchDistinct(any, \.title).count == 3)
    #expect(try context.fetchDistinct(any, \.title) == ["b", "c", "d"])
    #expect(try context.fetchDistinct(any, \.title, \.year).count == 4)
  }

  @Test(arguments: CompatibleKind.allCases)
  func `a single aggregate has its own type, and accepts inline macros`(kind: CompatibleKind) throws
  {
    let store = try filled(kind)
    defer { withExtendedLifetime(store) {} }
    let context = ModelContext(try store.open())
    let all = FetchDescriptor<Book>()
    #expect(try context.aggregate(all, .count) + 1 == 5)
    #expect((try context.aggregate(all, .maximum(\.year)) ?? 0) + 1 == 2021)
    #expect(try context.aggregate(all, .count(where: #Predicate { $0.year > 2005 })) == 2)
    #expect(try context.aggregate(all, .sum(#Expression { $0.year * 2 })) == 16040)
    #expect(try context.aggregate(all, .average(#Expression { $0.price * 2 })) ?? 0 == 50)
    let (count, latest) = try context.aggregate(all, .count, .maximum(\.year))
    #expect(count == 4 && latest == 2020)
    var limited = all
    limited.fetchLimit = 1
    #expect(try context.aggregate(limited, .count) == 4)
  }

  @Test(arguments: CompatibleKind.allCases)
  func `a single key and a single aggregate of groups have their own types`(
    kind: CompatibleKind
  ) throws {
    let store = try filled(kind)
    defer { withExtendedLifetime(store) {} }
    let context = ModelContext(try store.open())
    let groups = try context.fetch(
      FetchDescriptor<Book>(),
      groupedBy: \.title,
      aggregates: .count(where: #Predicate { $0.year > 1995 }),
      having: .count > 0,
      sortBy: [.descending(.count)]
    )
    #expect(groups.map(\.key) == ["b", "c", "d"])
    #expect(groups.map(\.values) == [2, 1, 0])
    let counts = Dictionary(
      uniqueKeysWithValues: try context.fetch(
        FetchDescriptor<Book>(),
        groupedBy: \.writer?.name,
        aggregates: .count
      ).map { ($0.key ?? "", $0.values) }
    )
    #expect(counts == ["Ann": 2, "Bob": 2])
  }
}
