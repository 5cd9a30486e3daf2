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

  @Test(arguments: EveryStore.withTextKeys)
  func `can have the name of each type that stores read directly`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: ShadowedTypes.Holder.self)
    let context = ModelContext(container)
    let id = UUID()
    let holder = ShadowedTypes.Holder()
    context.insert(holder)
    holder.int = .init(7)
    holder.int8 = .init(-8)
    holder.int16 = .init(-16)
    holder.int32 = .init(-32)
    holder.int64 = .init(-64)
    holder.uint = .init(7)
    holder.uint8 = .init(8)
    holder.uint16 = .init(16)
    holder.uint32 = .init(32)
    holder.uint64 = .init(64)
    holder.float = .init(1.5)
    holder.double = .init(2.5)
    holder.bool = .init(true)
    holder.string = .init("text")
    holder.character = .init("c")
    holder.date = .init(Date(timeIntervalSince1970: 5))
    holder.data = .init(Data([1, 2]))
    holder.uuid = .init(id)
    holder.url = .init(URL(filePath: "/a"))
    holder.decimal = .init(1.25)
    holder.floats = [.init(0.25), .init(-1)]
    holder.dates = [.init(.distantPast)]
    try context.save()

    let found = try #require(try ModelContext(container).all(ShadowedTypes.Holder.self).first)
    expect(found.int, has: 7)
    expect(found.int8, has: -8)
    expect(found.int16, has: -16)
    expect(found.int32, has: -32)
    expect(found.int64, has: -64)
    expect(found.uint, has: 7)
    expect(found.uint8, has: 8)
    expect(found.uint16, has: 16)
    expect(found.uint32, has: 32)
    expect(found.uint64, has: 64)
    expect(found.float, has: 1.5)
    expect(found.double, has: 2.5)
    expect(found.bool, has: true)
    expect(found.string, has: "text")
    expect(found.character, has: "c")
    expect(found.date, has: Date(timeIntervalSince1970: 5))
    expect(found.data, has: Data([1, 2]))
    expect(found.uuid, has: id)
    expect(found.url, has: URL(filePath: "/a"))
    expect(found.decimal, has: 1.25)
    #expect(found.floats.map(\.value).sorted() == [-1, 0.25])
    #expect(found.dates.map(\.value) == [.distantPast])
  }

  private func expect<M: ShadowingModel>(_ model: M?, has value: M.Value) {
    #expect(model?.value == value && model?.maybe == value, "\(M.self)")
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
