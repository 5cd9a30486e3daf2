import Foundation
import OpenSwiftData

// The models of the random test: each kind of relationship, attribute and delete rule is here.

/// The base of three levels.
@Model
class Seafarer {
  @Attribute(.unique) var name: String
  var rank: Int?
  var joined: Date?
  var quarters: Quarters?
  var watch: Watch = Watch.early
  var wage = 0.0
  /// One of two relationships between the same two models.
  var ship: Ship?
  var formerShip: Ship?
  var pennants: [Pennant] = []
  @Relationship(inverse: \Seafarer.pupils) var mentor: Seafarer?
  var pupils: [Seafarer] = []
  /// The inverse of two relationships.
  var host: Ship?
  /// One-way, to the own model.
  @Relationship(inverse: nil) var friend: Seafarer?

  init(name: String) {
    self.name = name
  }
}

struct Quarters: Codable, Hashable {
  var deck: Int
  var label: String?
}

enum Watch: String, Codable {
  case early, late
}

@Model
class Deckhand: Seafarer {
  var knots = 0
  @Relationship(deleteRule: .cascade, inverse: \Berth.sailor) var berth: Berth?

  override init(name: String) {
    super.init(name: name)
  }
}

@Model
final class Skipper: Deckhand {
  var medals: [String] = []
  var command: Ship?

  override init(name: String) {
    super.init(name: name)
  }
}

@Model
final class Ship {
  var name: String
  var tons = 0
  var port: Port
  @Relationship(deleteRule: .cascade, inverse: \Seafarer.ship) var crew: [Seafarer] = []
  @Relationship(inverse: \Seafarer.formerShip) var veterans: [Seafarer] = []
  @Relationship(inverse: \Skipper.command) var captain: Skipper?
  /// Two relationships to many that name one inverse.
  @Relationship(inverse: \Seafarer.host) var bow: [Seafarer] = []
  @Relationship(inverse: \Seafarer.host) var stern: [Seafarer]?
  /// One-way, to many and to one.
  @Relationship(inverse: nil) var route: [Port] = []
  @Relationship(inverse: nil) var home: Port?

  init(name: String, port: Port) {
    self.name = name
    self.port = port
  }
}

@Model
final class Port {
  var name: String
  @Relationship(deleteRule: .deny, inverse: \Ship.port) var ships: [Ship] = []
  @Relationship(deleteRule: .noAction, inverse: \LogEntry.place) var logs: [LogEntry] = []
  /// The inverse of two relationships.
  var shown: [Pennant] = []

  init(name: String) {
    self.name = name
  }
}

@Model
final class Pennant {
  @Attribute(.unique) var word: String
  var bearers: [Seafarer] = []
  /// Two relationships to one that name one inverse.
  @Relationship(inverse: \Port.shown) var front: Port?
  @Relationship(inverse: \Port.shown) var back: Port?

  init(word: String) {
    self.word = word
  }
}

@Model
final class LogEntry {
  var text: String
  var place: Port?
  @Relationship(deleteRule: .cascade, inverse: \LogEntry.parent) var parts: [LogEntry] = []
  var parent: LogEntry?
  @Relationship(inverse: nil) var seeAlso: [LogEntry]?

  init(text: String) {
    self.text = text
  }
}

@Model
final class Berth {
  var label: String
  var sailor: Deckhand?

  init(label: String) {
    self.label = label
  }
}
