// swift-format-ignore-file
// The superclass is a model.
@Model public class PersonalTrip: Travel.Trip, Codable {
  public var reason: String = "fun"
  var companions: [Person]
  override public var name: String { didSet { print(name) } }

  public init(companions: [Person]) {
    self.companions = companions
    super.init(name: "")
  }
}
