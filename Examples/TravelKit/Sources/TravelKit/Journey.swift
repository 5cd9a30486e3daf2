import Foundation
import ModelLayer

/// A way from one place to another, in legs.
@Model
public final class Journey {
  /// What the journey is called; no two are called the same.
  @Attribute(.unique) public var name: String
  /// The legs in the order of travelling.
  @Relationship(deleteRule: .cascade, inverse: \Leg.journey) public var legs: [Leg] = []

  /// Creates a journey without legs.
  public init(name: String) { self.name = name }

  /// The length of all legs in kilometres.
  public var length: Double { legs.reduce(0) { $0 + $1.length } }
}

/// One part of a journey.
@Model
public final class Leg {
  /// Where it begins.
  public var origin: String
  /// Where it ends.
  public var destination: String
  /// Its length in kilometres.
  public var length: Double
  /// The journey that it is a part of.
  public var journey: Journey?

  /// Creates a leg.
  public init(from origin: String, to destination: String, length: Double) {
    self.origin = origin
    self.destination = destination
    self.length = length
  }
}
