import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Models with the names of types of Swift and Foundation")
struct ShadowingModelTests {
  private typealias Version = ShadowingVersion
  private let fixtures = ContainerFixtures()

  @Test(arguments: EveryStore.withTextKeys)
  func `have relationships, beside attributes of those types`(store: EveryStore) throws {
    let container = try fixtures.open(
      store,
      for: Version.Date.self,
      Version.Int.self,
      Version.Trip.self
    )
    let context = ModelContext(container)
    let (first, second) = (Version.Date(name: "first"), Version.Date(name: "second"))
    let trip = Version.Trip(number: Version.Int(7))
    trip.day = first
    trip.alternatives = [second]
    first.next = second
    context.insert(trip)
    try context.save()
    #expect(first.trips.map(\.nights) == [1])

    let other = ModelContext(container)
    let found = try #require(
      try other.fetch(
        FetchDescriptor<Version.Trip>(predicate: #Predicate { $0.day?.name == "first" })
      ).first
    )
    #expect(found.number.value == 7 && found.nights == 1)
    #expect(found.day?.created == Date(timeIntervalSince1970: 5))
    #expect(found.day?.next?.name == "second" && found.alternatives.map(\.name) == ["second"])
    found.day = found.alternatives[0]
    found.alternatives = []
    try other.save()
    let days = try ModelContext(container).all(Version.Date.self).sorted { $0.name < $1.name }
    #expect(days.map { $0.trips.count } == [0, 1])
  }
}

private enum ShadowingVersion: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Date.self, Int.self, Trip.self] }

  @Model
  final class Date {
    var name: String
    var created: Foundation.Date = Foundation.Date(timeIntervalSince1970: 5)
    var next: Date?
    @Relationship(inverse: \Trip.day) var trips: [Trip]

    init(name: String) { self.name = name }
  }

  @Model
  final class Int {
    var value: Swift.Int

    init(_ value: Swift.Int) { self.value = value }
  }

  @Model
  final class Trip {
    var day: Date?
    var number: Int
    var alternatives: [Date] = []
    var nights: Swift.Int = 1

    init(number: Int) { self.number = number }
  }
}
