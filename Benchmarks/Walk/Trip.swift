import Foundation
import OpenSwiftData

/// The model of the README.
@Model
final class Trip {
  @Attribute(.unique) var name: String
  var nights: Int

  init(_ name: String, nights: Int) {
    self.name = name
    self.nights = nights
  }

  static func named(_ text: String) -> Predicate<Trip> { #Predicate { $0.name == text } }
}
