import ModelLayer
import Synchronization
import Testing

@Suite("Observation")
struct ObservationTests {
  /// Returns whether a change of the observed values notifies the observer.
  private func isNotified(of change: () throws -> Void, watching read: () -> Void) rethrows -> Bool
  {
    let notified = Notified()
    withObservationTracking(read) { notified.set() }
    try change()
    return notified.value
  }

  private final class Notified: Sendable {
    private let flag = Atomic<Bool>(false)
    func set() { flag.store(true, ordering: .relaxed) }
    var value: Bool { flag.load(ordering: .relaxed) }
  }

  @Test func `notifies only of properties that were read`() throws {
    let trip = Trip(name: "Alps")
    #expect(isNotified(of: { trip.name = "Andes" }, watching: { _ = trip.name }))
    #expect(!isNotified(of: { trip.destination = "Rome" }, watching: { _ = trip.name }))
  }

  @Test func `notifies of changes of objects in a context`() throws {
    let context = ModelContext(try makeContainer())
    let trip = PersonalTrip(name: "Alps", reason: .family)
    context.insert(trip)
    try context.save()
    #expect(isNotified(of: { trip.name = "Andes" }, watching: { _ = trip.name }))
    #expect(isNotified(of: { trip.name = "Atlas" }, watching: { _ = trip.name }))
    #expect(isNotified(of: { trip.reason = .wellness }, watching: { _ = trip.reason }))
  }

  @Test func `notifies of changes through the other end of a relationship`() throws {
    let context = ModelContext(try makeContainer())
    let trip = Trip(name: "Alps")
    context.insert(trip)
    let item = BucketListItem("ski")
    #expect(isNotified(of: { item.trip = trip }, watching: { _ = trip.bucketList }))
    #expect(isNotified(of: { trip.bucketList = [] }, watching: { _ = item.trip }))
  }

  @Test func `notifies of changes by a rollback and by a fetch`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let trip = Trip(name: "Alps")
    context.insert(trip)
    try context.save()
    trip.name = "Andes"
    #expect(isNotified(of: { context.rollback() }, watching: { _ = trip.name }))
    let other = ModelContext(container)
    try #require(try other.all(Trip.self).first).name = "Atlas"
    try other.save()
    let notified = try isNotified(
      of: { _ = try context.all(Trip.self) },
      watching: { _ = trip.name }
    )
    #expect(notified)
    #expect(trip.name == "Atlas")
  }
}
