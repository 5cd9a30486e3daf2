import Foundation
import Observation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@testable import ModelLayer

@Model final class Trip {
  var name: String
  var destination: String
  var country: String?
  var days = 1
  var note = ""
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

  init(_ name: String, to destination: String = "Oslo", days: Int = 1) {
    self.name = name
    self.destination = destination
    self.days = days
  }
}

@Model final class Stop {
  var name: String
  var nights = 1
  var remark = ""
  var trip: Trip?

  init(_ name: String, nights: Int = 1) {
    self.name = name
    self.nights = nights
  }
}

@Model final class Invoice {
  var number: Int
  @Attribute(.unique) var code: String

  init(_ number: Int, code: String? = nil) {
    self.number = number
    self.code = code ?? "code \(number)"
  }
}

/// Creates an empty container in memory or at a given location.
func emptyContainer(_ store: String = "memory:") throws -> ModelContainer {
  try ModelContainer(for: Trip.self, Stop.self, Invoice.self, store: store)
}

extension ModelContainer {
  /// Saves changes that a context of its own makes.
  func edit(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(self, isolation: nil)
    try body(context)
    try context.save()
  }

  /// Changes the trip of a name in a context of its own.
  func edit(trip name: String, _ body: (Trip) throws -> Void) throws {
    try edit { context in
      let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
      try body(#require(try context.fetch(descriptor).first))
    }
  }
}

/// Trips by name.
let tripsByName = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])

extension FetchDescriptor<Trip> {
  /// Trips of more than some days, by name.
  static func longer(than days: Int) -> FetchDescriptor<Trip> {
    FetchDescriptor(predicate: #Predicate { $0.days > days }, sortBy: [SortDescriptor(\.name)])
  }
}

/// Counts how often an observed value was notified of a change.
final class ChangeCount: Sendable {
  private let number = Mutex(0)

  /// How often.
  var value: Int { number.withLock { $0 } }

  /// Observes what a closure reads, until its first change.
  func observe(_ reading: () -> Void) {
    withObservationTracking(reading) { self.number.withLock { $0 += 1 } }
  }
}

/// Waits until what a closure reads is about to change.
@MainActor
func untilChange(
  of reading: @escaping @MainActor () -> Void,
  after act: () throws -> Void
) async throws {
  let stream = AsyncStream<Void>.makeStream()
  withObservationTracking {
    reading()
  } onChange: {
    stream.continuation.yield()
  }
  try act()
  for await _ in stream.stream { break }
}
