import OpenSwiftData

@Model
final class Artist {
  @Attribute(.unique) var name: String
  var note: String?
  var rating = 0
  var works: [Work] = []
  var genres: [Genre] = []
  @Relationship(inverse: \Studio.artist) var studio: Studio?
  @Relationship(inverse: nil) var idols: [Artist] = []

  init(_ name: String, note: String? = nil, rating: Int = 0) {
    self.name = name
    self.note = note
    self.rating = rating
  }
}

@Model
final class Work {
  var title: String
  var artist: Artist?

  init(_ title: String) {
    self.title = title
  }
}

@Model
final class Genre {
  @Attribute(.unique) var word: String
  var artists: [Artist] = []

  init(_ word: String) {
    self.word = word
  }
}

@Model
final class Studio {
  var place: String
  var artist: Artist?

  init(_ place: String) {
    self.place = place
  }
}

/// Unique by two constraints, one of them over a relationship.
@Model
final class Chair {
  #Unique<Chair>([\.room, \.number])

  @Attribute(.unique) var tag: String?
  var number: Int
  var room: Room?
  var colour = ""

  init(_ number: Int, in room: Room?, tag: String? = nil, colour: String = "") {
    self.number = number
    self.room = room
    self.tag = tag
    self.colour = colour
  }
}

@Model
final class Room {
  @Attribute(.unique) var name: String
  var chairs: [Chair] = []

  init(_ name: String) {
    self.name = name
  }
}

/// Leads to an object that no other of its kind leads to.
@Model
final class Ticket {
  @Relationship(.unique, inverse: nil) var room: Room?
  var price: Int

  init(_ room: Room?, price: Int) {
    self.room = room
    self.price = price
  }
}

enum Shade: String, Codable {
  case dark, light
}

/// One unique attribute of each kind.
@Model
final class Coin {
  @Attribute(.unique) var text: String?
  @Attribute(.unique) var number: Double?
  @Attribute(.unique) var date: Date?
  @Attribute(.unique) var uuid: UUID?
  @Attribute(.unique) var shade: Shade?
  @Attribute(.unique) var whole: Int?
  var count = 0

  init(_ count: Int) {
    self.count = count
  }
}
