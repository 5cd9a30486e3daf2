import OpenSwiftData

/// An ordinary model: what programs declare, beside the plain one.
protocol RoadModel: PersistentModel {
  /// The name in the rows.
  static var road: String { get }
  /// The models that a container needs.
  static var types: [any PersistentModel.Type] { get }
  var code: String { get }
  var number: Int { get set }

  /// Returns a function that makes the objects of numbers, one call after the other.
  ///
  /// An object may refer to those of earlier calls.
  static func maker() -> (Range<Int>) -> [Self]
  /// Returns the condition by which a program finds one object.
  static func hasCode(_ code: String) -> Predicate<Self>
  /// Returns the change of a bulk update.
  static func setsNumber(_ number: Int) -> PropertyUpdate<Self>
}

extension RoadModel {
  static var types: [any PersistentModel.Type] { [Self.self] }
}

/// A model whose objects depend on their numbers alone.
protocol SingleModel: RoadModel {
  init(_ number: Int)
}

extension SingleModel {
  static func maker() -> (Range<Int>) -> [Self] { { $0.map(Self.init) } }
}

extension Int {
  /// The code of the object of a number.
  var code: String { "object \(self)" }
}
