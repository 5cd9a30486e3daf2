import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

/// After any changes, the results of an observer are those of a fetch.
@Suite("Observers under random changes", .timeLimit(.minutes(30)))
struct ObserverRandomTests {
  /// The last seeds have found bugs.
  private static let seeds: [UInt64] = [0, 1, 2, 3, 4, 9, 11, 108, 113, 123, 132, 148, 187]

  @Test(arguments: [EveryStore.memory, .sqliteInMemory], Self.seeds)
  func `have the same results as a fetch`(_ store: EveryStore, seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var world = try RandomWorld(store.url(in: folder), seed: seed)
    for step in 0..<60 {
      let action = try world.act()
      for (name, observed, fetched) in try world.results() {
        #expect(observed == fetched, "seed \(seed), step \(step), after \(action): \(name)")
      }
      if world.hasFailed { return }
    }
  }
}

/// Two contexts of one container that change trips at random, and observers of one of them.
private struct RandomWorld {
  private let container: ModelContainer
  private let own: ModelContext
  private let other: ModelContext
  private let observers: [(name: String, observer: ResultsObserver<Trip, Never>)]
  /// Observers in contexts of their own, which have no other objects.
  private let apart: [(name: String, observer: ResultsObserver<Trip, Never>)]
  private let sections: ResultsObserver<Trip, String>
  private var random: SeededGenerator
  private var number = 0
  private(set) var hasFailed = false

  init(_ url: String, seed: UInt64) throws {
    let container = try emptyContainer(url)
    self.container = container
    let context = ModelContext(container, isolation: nil)
    own = context
    other = ModelContext(container, isolation: nil)
    random = SeededGenerator(seed: seed)
    observers = try Self.descriptors.map { name, descriptor in
      (name, try ResultsObserver(fetchDescriptor: descriptor, modelContext: context))
    }
    apart = try Self.descriptors.map { name, descriptor in
      let context = ModelContext(container, isolation: nil)
      let observer = try ResultsObserver<Trip, Never>(
        fetchDescriptor: descriptor,
        modelContext: context
      )
      return ("\(name) apart", observer)
    }
    sections = try ResultsObserver(
      fetchDescriptor: .longer(than: 3),
      sectionBy: \.destination,
      modelContext: context
    )
  }

  private static var descriptors: [(String, FetchDescriptor<Trip>)] {
    var window = tripsByName
    window.fetchLimit = 3
    var later = tripsByName
    later.fetchOffset = 2
    var saved = tripsByName
    saved.includePendingChanges = false
    let stays = #Predicate<Trip> { trip in trip.stops.contains { $0.nights > 2 } }
    let many = #Predicate<Trip> { $0.stops.count > 1 }
    let rome = #Predicate<Trip> { $0.destination == "Rome" }
    let romeForLong = #Predicate<Trip> { $0.destination == "Rome" && $0.days > 3 }
    let byDays = SortDescriptor(\Trip.days, order: .reverse)
    var longest = FetchDescriptor(predicate: rome, sortBy: [byDays])
    longest.fetchLimit = 2
    return [
      ("all", tripsByName), ("longer", .longer(than: 3)), ("window", window), ("offset", later),
      ("saved", saved), ("stays", FetchDescriptor(predicate: stays)),
      ("many", FetchDescriptor(predicate: many, sortBy: [SortDescriptor(\.days)])),
      ("rome", FetchDescriptor(predicate: rome, sortBy: [SortDescriptor(\.days)])),
      ("rome for long", FetchDescriptor(predicate: romeForLong, sortBy: [SortDescriptor(\.name)])),
      ("longest", longest),
    ]
  }

  /// The names of each observer's results, and those of a fetch.
  mutating func results() throws -> [(name: String, observed: [String], fetched: [String])] {
    var results = try observers.map { name, observer in
      let observed = observer.results.map(\.name)
      return (name, observed, try own.fetch(observer.fetchDescriptor).map(\.name))
    }
    results += try apart.map { name, observer in
      let stored = try ModelContext(container, isolation: nil).fetch(observer.fetchDescriptor)
      return (name, observer.results.map(\.name), stored.map(\.name))
    }
    let titles = sections.sections?.flatMap { part in part.map { "\(part.title) \($0.name)" } }
    let fetched = try own.fetch(.longer(than: 3), sectionBy: \.destination)
    results.append(
      (
        "sections", titles ?? [],
        fetched.flatMap { part in part.map { "\(part.title) \($0.name)" } }
      )
    )
    hasFailed = results.contains { $0.1 != $0.2 }
    return results
  }

  /// Performs a random action, and returns its description.
  mutating func act() throws -> String {
    let isOwn = Bool.random(using: &random)
    let context = isOwn ? own : other
    let owner = isOwn ? "own" : "other"
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1, 2: return try "insert \(owner) \(insert(in: context))"
    case 3, 4, 5: return try "change \(owner) \(change(in: context))"
    case 6: return try "relate \(owner) \(relate(in: context))"
    case 7: return try "delete \(owner) \(delete(in: context))"
    case 8 where isOwn:
      context.rollback()
      return "rollback"
    case 9 where !context.hasChanges:
      let days = Int.random(in: 0..<3, using: &random)
      try context.delete(model: Trip.self, where: #Predicate { $0.days == days })
      return "delete all of \(days) days \(owner)"
    default:
      return save(context, owner)
    }
  }

  private func save(_ context: ModelContext, _ owner: String) -> String {
    do {
      try context.save()
      return "save \(owner)"
    } catch {
      // The other context has deleted a changed object; the unsaved changes are discarded.
      context.reset()
      return "reset \(owner)"
    }
  }

  private mutating func insert(in context: ModelContext) throws -> String {
    number += 1
    let trip = Trip("\(number)", days: Int.random(in: 0..<8, using: &random))
    trip.destination = random.pick(["Oslo", "Rome", "Bonn"])
    context.insert(trip)
    return trip.name
  }

  private mutating func trip(in context: ModelContext) throws -> Trip? {
    let trips = try context.fetch(tripsByName)
    return trips.isEmpty ? nil : random.pick(trips)
  }

  private mutating func change(in context: ModelContext) throws -> String {
    guard let trip = try trip(in: context) else { return "nothing" }
    let name = trip.name
    switch Int.random(in: 0..<4, using: &random) {
    case 0: trip.name = "\(Int.random(in: 0..<50, using: &random))"
    case 1: trip.days = Int.random(in: 0..<8, using: &random)
    case 2: trip.destination = random.pick(["Oslo", "Rome", "Bonn"])
    default: trip.note += "x"
    }
    return name
  }

  private mutating func relate(in context: ModelContext) throws -> String {
    guard let trip = try trip(in: context) else { return "nothing" }
    let stops = try context.fetch(FetchDescriptor<Stop>())
    if stops.isEmpty || Bool.random(using: &random) {
      trip.stops.append(Stop("x", nights: Int.random(in: 0..<5, using: &random)))
    } else {
      let stop = random.pick(stops)
      if Bool.random(using: &random) { stop.trip = trip } else { stop.nights += 1 }
    }
    return trip.name
  }

  private mutating func delete(in context: ModelContext) throws -> String {
    guard let trip = try trip(in: context) else { return "nothing" }
    context.delete(trip)
    return trip.name
  }
}
