import OpenSwiftData
import StoreTestSupport

enum Rating: String, Codable { case calm, rough }

struct Harbour: Codable, Hashable {
  var city: String
  var opened: Date?
}

@Model
class Voyage {
  @Attribute(.unique) var name: String
  var start: Date
  var days: Int?
  var rating: Rating = Rating.calm
  var worst: Rating?
  var harbour: Harbour?
  var log: [String] = []
  @Relationship(deleteRule: .cascade, inverse: \Leg.voyage) var legs: [Leg] = []
  var captain: Captain?
  @Relationship(inverse: \Flag.voyages) var flags: [Flag] = []

  init(_ name: String, start: Date = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)) {
    self.name = name
    self.start = start
  }

  var title: String { "\(name) in \(legs.count) legs" }
}

@Model
final class CargoVoyage: Voyage {
  var tons: Double

  init(_ name: String, tons: Double) {
    self.tons = tons
    super.init(name)
  }
}

@Model
final class Leg {
  var title: String
  var miles = 1
  var voyage: Voyage?

  init(_ title: String) {
    self.title = title
  }
}

@Model
final class Captain {
  let badge: Int
  var name: String
  @Relationship(inverse: \Voyage.captain) var voyages: [Voyage] = []
  @Relationship(inverse: \Chest.owner) var chests: [Chest] = []

  init(_ name: String, badge: Int = 1) {
    self.badge = badge
    self.name = name
  }
}

@Model
final class Chest {
  #Unique<Chest>([\.owner, \.label])

  var label: String
  var weight = 0
  var owner: Captain

  init(_ label: String, owner: Captain) {
    self.label = label
    self.owner = owner
  }
}

@Model
final class Flag {
  @Attribute(.unique) var word: String
  var voyages: [Voyage] = []

  init(_ word: String) {
    self.word = word
  }
}

/// A model with an `id` of its own, and relationships to its own kind.
@Model
final class Sailor {
  @Attribute(.unique) var id: UUID
  var name: String
  @Relationship(inverse: \Sailor.crew) var chief: Sailor?
  var crew: [Sailor] = []
  var friends: [Sailor] = []

  init(_ name: String, id: UUID = UUID()) {
    self.id = id
    self.name = name
  }
}

extension ContainerFixture {
  /// A fixture for the models of these tests.
  convenience init(forVoyages kind: EveryStore) throws {
    try self.init(
      kind,
      for: Voyage.self,
      CargoVoyage.self,
      Leg.self,
      Captain.self,
      Chest.self,
      Flag.self,
      Sailor.self
    )
  }
}

/// A saved voyage with two legs, a captain with a chest, and two flags.
func saveVoyage(in context: ModelContext) throws -> Voyage {
  let voyage = Voyage("North")
  voyage.days = 3
  voyage.rating = .rough
  voyage.harbour = Harbour(city: "Bergen", opened: nil)
  voyage.log = ["out", ""]
  voyage.legs = [Leg("first"), Leg("second")]
  voyage.captain = Captain("Ada", badge: 7)
  voyage.flags = [Flag("red"), Flag("blue")]
  context.insert(voyage)
  if let captain = voyage.captain { context.insert(Chest("tools", owner: captain)) }
  try context.save()
  return voyage
}
