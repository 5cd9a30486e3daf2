import StoreTesting
import Testing
import TravelKit

@Model
final class Photo {
  var title: String
  var journey: Journey?

  init(_ title: String, journey: Journey?) {
    self.title = title
    self.journey = journey
  }
}

@Suite struct TravelTests {
  @Test(arguments: ["memory:", "sqlite:travel.db", "json:travel.json"])
  func `the library works on any store, together with an app's own models`(_ store: String) throws {
    let schema = Schema(Travel.models + [Photo.self])
    let container = try ModelContainer.ephemeral(for: schema, store: store)
    let travel = try Travel(container)
    try travel.add(to: "North", from: "Berlin", to: "Copenhagen", length: 434)
    let north = try travel.add(to: "North", from: "Copenhagen", to: "Oslo", length: 606)
    #expect(north.legs.map(\.destination) == ["Copenhagen", "Oslo"])
    let context = ModelContext(container)
    context.insert(Photo("Ferry", journey: try context.fetch(FetchDescriptor<Journey>()).first))
    try context.save()
    let photos = FetchDescriptor<Photo>(predicate: #Predicate { $0.journey?.name == "North" })
    #expect(try context.fetch(photos).map(\.title) == ["Ferry"])
  }

  @Test func `journeys are filtered by their length`() throws {
    let container = try ModelContainer.ephemeral(for: Schema(Travel.models))
    try container.seed(
      """
      {"Journey": [
        {"name": "Long", "legs": [{"origin": "A", "destination": "B", "length": 900}]},
        {"name": "Short", "legs": [{"origin": "A", "destination": "C", "length": 9}]}
      ]}
      """
    )
    let travel = try Travel(container)
    #expect(try travel.journeys(atLeast: 100).map(\.name) == ["Long"])
    #expect(try travel.journeys().map(\.name) == ["Long", "Short"])
  }

  @Test func `a container without the library's models is refused`() throws {
    let container = try ModelContainer.ephemeral(for: Schema([Leg.self, Photo.self]))
    _ = try Travel(container)
    let other = try ModelContainer.ephemeral(for: Note.self)
    #expect(throws: DataStoreError.schemaMismatch) { try Travel(other) }
  }
}

@Model
final class Note {
  var text: String

  init(_ text: String) { self.text = text }
}
