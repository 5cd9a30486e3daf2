import ModelLayer

@Model
class Trip {
  #Unique<Trip>([\.name, \.startDate])
  #Index<Trip>([\.name], [\.startDate, \.endDate])

  var name: String
  var destination: String
  var startDate: Date
  var endDate: Date
  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  var bucketList: [BucketListItem] = []
  @Relationship(deleteRule: .cascade, inverse: \Accommodation.trip)
  var accommodation: Accommodation?
  var tags: [Tag] = []

  init(
    name: String,
    destination: String = "Somewhere",
    startDate: Date = Date(timeIntervalSinceReferenceDate: 0),
    endDate: Date = Date(timeIntervalSinceReferenceDate: 86_400)
  ) {
    self.name = name
    self.destination = destination
    self.startDate = startDate
    self.endDate = endDate
  }
}

enum Reason: String, Codable {
  case family, wellness, reunion
}

@Model
final class PersonalTrip: Trip {
  var reason: Reason

  init(name: String, reason: Reason) {
    self.reason = reason
    super.init(name: name)
  }
}

@Model
final class BusinessTrip: Trip {
  var perDiem: Double

  init(name: String, perDiem: Double) {
    self.perDiem = perDiem
    super.init(name: name)
  }
}

@Model
final class BucketListItem {
  var title: String
  var isDone = false
  var trip: Trip?

  init(_ title: String) {
    self.title = title
  }
}

@Model
final class Accommodation {
  var address: String
  var trip: Trip?

  init(_ address: String) {
    self.address = address
  }
}

@Model
final class Tag {
  @Attribute(.unique) var word: String
  var trips: [Trip] = []

  init(_ word: String) {
    self.word = word
  }
}

struct Address: Codable, Hashable {
  var street: String
  var number: Int?
}

enum Mood: Codable, Equatable {
  case calm
  case loud(level: Int)
}

/// One property of each kind that can be stored.
@Model
final class Everything {
  var int = 0
  var int8: Int8 = 0
  var uint64: UInt64 = 0
  var float: Float = 0
  var double: Double = 0
  var flag = false
  var text = ""
  var character: Character = "x"
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var data = Data()
  var uuid: UUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var url: URL?
  var decimal: Decimal = 0
  var optionalInt: Int?
  var reason: Reason = Reason.family
  var optionalReason: Reason?
  var mood: Mood = Mood.calm
  var address: Address?
  var words: [String] = []
  var numbers: Set<Int> = []
  var table: [String: Int] = [:]
  @Transient var scratch = 7

  init() {}
}

@Model
final class Owner {
  var name: String
  @Relationship(deleteRule: .deny, inverse: \Pet.owner) var pets: [Pet] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Pet {
  var name: String
  var owner: Owner

  init(_ name: String, owner: Owner) {
    self.name = name
    self.owner = owner
  }
}

/// A tree of objects that refer to their own kind.
@Model
final class Node {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Node.parent) var children: [Node] = []
  var parent: Node?

  init(_ name: String, parent: Node? = nil) {
    self.name = name
    self.parent = parent
  }
}
