import Foundation
import OpenSwiftData

/// A structured value of a model.
struct RelicPlace: Codable, Equatable, Sendable {
  var city: String
  var zip: Int?
  var latitude: Double
}

/// An enumeration that is stored by its raw value.
enum RelicKind: String, Codable, CaseIterable, Sendable {
  case vessel, tool
  case coin = "money"
}

/// A model with a property of every kind that predicates can ask for.
@Model
class Relic {
  #Index<Relic>([\.name], [\.count], [\.price], [\.made])
  var number: Int
  var name: String = ""
  var title: String?
  var count: Int = 0
  var rank: Int?
  var small: Int8 = 0
  var big: UInt64 = 0
  var price: Double = 0
  var ratio: Float = 0
  var cost: Decimal = 0
  var isShown: Bool = false
  var made: Date = Date(timeIntervalSinceReferenceDate: 0)
  var seen: Date?
  var bytes: Data = Data()
  var key: UUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var kind: RelicKind = RelicKind.vessel
  var other: RelicKind?
  var words: [String] = []
  var numbers: [Int] = []
  var counts: [String: Int] = [:]
  var place: RelicPlace = RelicPlace(city: "", zip: nil, latitude: 0)
  var home: RelicPlace?
  var keeper: RelicKeeper?
  @Relationship(inverse: \Relic.parts) var whole: Relic?
  var parts: [Relic] = []
  var makers: [RelicKeeper] = []

  init(_ number: Int) { self.number = number }
}

/// A model that inherits.
@Model
final class Vase: Relic {
  var clay: String = ""

  override init(_ number: Int) { super.init(number) }
}

/// A model at the other end of relationships.
@Model
final class RelicKeeper {
  var name: String = ""
  var age: Int?
  @Relationship(inverse: \Relic.keeper) var relics: [Relic] = []
  @Relationship(inverse: \Relic.makers) var made: [Relic] = []
  @Relationship(inverse: \RelicKeeper.students) var mentor: RelicKeeper?
  var students: [RelicKeeper] = []

  init(_ name: String) { self.name = name }
}
