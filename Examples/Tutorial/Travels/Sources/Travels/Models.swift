import Foundation
import OpenSwiftData

@Model
final class Trip {
  @Attribute(.unique) var name: String
  var start: Date
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

  init(name: String, start: Date = .now) {
    self.name = name
    self.start = start
  }
}

@Model
final class Stop {
  var place: String
  var nights = 1
  var trip: Trip?

  init(_ place: String, nights: Int = 1) {
    self.place = place
    self.nights = nights
  }
}

// snippet.file.travels-models
