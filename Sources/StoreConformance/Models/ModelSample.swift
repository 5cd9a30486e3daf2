import Foundation
import ModelLayer

/// The models of rules that use models.
enum ModelSample {
  /// A new schema each time, because a container completes it.
  static var schema: Schema { Schema([Voyage.self, Landfall.self, Sailor.self, Captain.self]) }
}

/// The outcome of a voyage.
enum VoyageEnd: String, Codable {
  case happy, lost
}

/// A geographic position.
struct Position: Codable, Hashable {
  var latitude: Double
  var longitude: Double
}

@Model
final class Voyage {
  var name: String
  var begins: Date
  var cost: Double
  var days: Int
  var end: VoyageEnd?
  var notes: [String]
  @Relationship(deleteRule: .cascade, inverse: \Landfall.voyage)
  var landfalls: [Landfall]
  @Relationship(inverse: \Sailor.voyages)
  var crew: [Sailor]
  var flagship: Voyage?

  init(_ name: String, days: Int = 0) {
    self.name = name
    self.days = days
    begins = Date(timeIntervalSinceReferenceDate: 0)
    cost = 0
    notes = []
    landfalls = []
    crew = []
  }
}

@Model
final class Landfall {
  var harbour: String
  var position: Position
  var number: Int64
  var voyage: Voyage?

  init(_ harbour: String, at position: Position = Position(latitude: 0, longitude: 0)) {
    self.harbour = harbour
    self.position = position
    number = 0
  }
}

@Model
class Sailor {
  var name: String
  var badge: UUID
  var portrait: Data?
  var page: URL?
  var pay: Decimal
  var voyages: [Voyage]

  init(_ name: String) {
    self.name = name
    badge = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    pay = 0
    voyages = []
  }
}

@Model
final class Captain: Sailor {
  var licence: Int

  init(_ name: String, licence: Int) {
    self.licence = licence
    super.init(name)
  }
}
