import OpenSwiftData

/// A company that flies.
@Model
final class Airline {
  /// The code of two letters or digits, such as UA.
  @Attribute(.unique) var code: String
  var name: String
  @Relationship(deleteRule: .deny, inverse: \Flight.airline) var flights: [Flight] = []

  init(code: String, name: String) {
    self.code = code
    self.name = name
  }
}
