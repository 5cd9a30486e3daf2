import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `Differences, reverts and past states` {
  private let fixtures = HistoryFixtures()

  /// All objects of a store, one on each line.
  private func contents(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<Journey>()).map { trip in
      "\(trip.persistentModelID) \(trip.name) \(trip.days) \(trip.stops.map(\.title))"
    }
    let stops = try context.fetch(FetchDescriptor<Stop>()).map { stop in
      "\(stop.persistentModelID) \(stop.title) \(stop.kind) \(stop.rating ?? 0) "
        + (stop.journey?.name ?? "-")
    }
    let badges = try context.fetch(FetchDescriptor<Badge>()).map { "\($0.code) \($0.owner)" }
    return trips + stops + badges
  }

  @Test(arguments: EveryStore.allCases)
  func `the difference of two positions has one change for each row`(kind: EveryStore) throws {
    let context = try fixtures.context(kind, "history=values")
    let trip = try context.saved(Journey("a", days: 1))
    let other = try context.saved(Journey("b", days: 1))
    let start = try context.currentHistoryToken()
    trip.days = 2
    try context.save()
    trip.name = "c"
    trip.days = 3
    let passing = try context.saved(Journey("passing"))
    let middle = try context.currentHistoryToken()
    context.delete(passing)
    context.delete(other)
    let new = Journey("new")
    try context.saved(new)
    let changes = try context.diff(from: start)
    let byRow = Dictionary(grouping: changes, by: \.identifier)
    #expect(changes.count == 3)
    let update = try #require(byRow[trip.persistentModelID]?.first)
    #expect(Set(update.properties) == ["days", "name"])
    #expect(update.before == ["days": .integer(1), "name": .string("a")])
    #expect(update.after == ["days": .integer(3), "name": .string("c")])
    #expect(byRow[new.persistentModelID]?.map(\.kind) == [.insert])
    #expect(changes.filter { $0.kind == .delete }.count == 1)
    #expect(try context.diff(from: start, to: middle).count == 2)
    #expect(try context.diff(from: start, to: start).isEmpty)
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.diff(from: middle, to: start)
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `reverting a transaction restores values and objects`(kind: EveryStore) throws {
    let context = try fixtures.context(kind, "history=values")
    let trip = Journey("Paris", days: 3)
    context.insert(trip)
    let stop = Stop("Louvre", in: trip)
    stop.kind = .beach
    context.insert(stop)
    context.insert(Stop("Orsay", in: trip))
    try context.save()
    trip.days = 8
    trip.name = "Rome"
    try context.save()
    try context.revert(try #require(context.history().last))
    #expect(trip.days == 3 && trip.name == "Paris")
    try context.save()
    context.delete(trip)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
    try context.revert(try #require(context.history().last))
    try context.save()
    let fresh = ModelContext(context.container)
    let found = try #require(fresh.fetch(FetchDescriptor<Journey>()).first)
    #expect(found.name == "Paris" && found.days == 3)
    #expect(Set(found.stops.map(\.title)) == ["Louvre", "Orsay"])
    #expect(found.stops.first { $0.title == "Louvre" }?.kind == .beach)
    try fresh.revert(try #require(fresh.history().last))
    try fresh.save()
    #expect(try fresh.fetchCount(FetchDescriptor<Journey>()) == 0)
  }

  @Test(arguments: EveryStore.allCases)
  func `a conflict with later changes is reported with its objects`(kind: EveryStore) throws {
    let context = try fixtures.context(kind, "history=values")
    let trip = try context.saved(Journey("Paris"))
    let insertion = try #require(context.history().last)
    trip.days = 8
    try context.save()
    let update = try #require(context.history().last)
    trip.days = 9
    try context.save()
    for transaction in [insertion, update] {
      let error = #expect(throws: DataStoreError.self) { try context.revert(transaction) }
      #expect(error == .conflict)
      #expect(error?.identifiers == [trip.persistentModelID])
    }
    #expect(!context.hasChanges)
    trip.name = "unsaved"
    let last = try #require(context.history().last)
    #expect(throws: DataStoreError.conflict) { try context.revert(last) }
    context.rollback()
    trip.name = "another property"
    try context.save()
    try context.revert(last)
    #expect(trip.days == 8 && trip.name == "another property")
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.revert(last) }
  }

  @Test(arguments: EveryStore.allCases)
  func `a revert without stored values is refused and names the property`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    let trip = try context.saved(Journey("Paris"))
    let start = try context.currentHistoryToken()
    trip.days = 8
    try context.save()
    let update = try #require(context.history().last)
    let error = #expect(throws: DataStoreError.self) { try context.revert(update) }
    #expect(error == .unsupportedFeature && error?.property == "days")
    #expect(throws: DataStoreError.unsupportedFeature) { try context.container.asOf(start) }
    let other = try context.saved(Journey("Rome"))
    try context.revert(try #require(context.history().last))
    try context.save()
    #expect(other.isDeleted || other.modelContext == nil)
  }

  @Test(arguments: EveryStore.allCases)
  func `asOf(_:) returns the store's state at each save`(kind: EveryStore) throws {
    let context = try fixtures.context(kind, "history=values")
    var generator = SeededGenerator(seed: 7)
    var moments: [(DefaultHistoryToken, [String])] = []
    for step in 0..<40 {
      let trips = try context.fetch(FetchDescriptor<Journey>())
      let stops = try context.fetch(FetchDescriptor<Stop>())
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: context.insert(Journey("\(step)", days: step))
      case 1: context.insert(Stop("s\(step)", in: trips.randomElement(using: &generator)))
      case 2: trips.randomElement(using: &generator)?.days = step
      case 3: stops.randomElement(using: &generator)?.journey = trips.first
      case 4: stops.randomElement(using: &generator)?.rating = step
      case 5: if step % 3 == 0, let trip = trips.last { context.delete(trip) }
      default: context.insert(Badge("\(step % 5)", "o\(step)"))
      }
      try context.save()
      moments.append((try context.currentHistoryToken(), try contents(context.container)))
    }
    for (token, expected) in moments {
      #expect(try contents(context.container.asOf(token)) == expected)
    }
    let past = try context.container.asOf(moments[5].0)
    let other = ModelContext(past)
    try other.saved(Journey("only there"))
    #expect(try contents(context.container) == moments.last?.1)
  }
}
