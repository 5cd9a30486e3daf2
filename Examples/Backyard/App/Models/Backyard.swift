import Foundation
import SwiftData

/// A yard with plants at both ends of its path.
@Model
final class Backyard {
  var name: String
  var season: Season = Season.spring
  // Two relationships with one inverse: a plant is in either, or in both.
  @Relationship(inverse: \Plant.backyard) var leadingPlants: [Plant] = []
  @Relationship(inverse: \Plant.backyard) var trailingPlants: [Plant] = []
  @Relationship(deleteRule: .cascade, inverse: \Observation.backyard)
  var observations: [Observation] = []

  init(name: String) {
    self.name = name
  }

  /// The plants from one end of the path to the other.
  var plants: [Plant] { leadingPlants + trailingPlants }
}

/// A part of the year; an enumeration without raw values.
enum Season: Codable, Equatable {
  case spring
  case summer(days: Int)
}

/// A plant, which grows in one yard at most.
@Model
final class Plant {
  var species: String
  var care = Care()
  var backyard: Backyard?

  init(species: String) {
    self.species = species
  }
}

/// What a plant needs; a structure, isolated to the main actor as everything in this module.
struct Care: Codable, Equatable {
  var litersAWeek = 1.5
  var notes: [String] = []
}

// Models are not isolated by the default of a module; an extension is, unless it says otherwise.
nonisolated extension Plant: Comparable {
  static func < (lhs: Plant, rhs: Plant) -> Bool { lhs.species < rhs.species }
}

/// A bird that was seen; a model with the name of a module.
@Model
final class Observation {
  var bird: String
  var date: Date
  var backyard: Backyard?

  init(bird: String, date: Date) {
    self.bird = bird
    self.date = date
  }
}
