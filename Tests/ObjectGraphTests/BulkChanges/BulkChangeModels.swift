import Foundation
import OpenSwiftData

@Model
class Freight {
  var label: String
  var weight: Int
  var stops: Int8
  var sent: Date?
  var depot: Warehouse?
  @Attribute(.unique) var code: Int

  init(_ number: Int, depot: Warehouse? = nil) {
    label = "p\(number)"
    weight = number
    stops = Int8(number)
    self.depot = depot
    code = number
  }
}

@Model
final class ExpressFreight: Freight {
  var isInsured = false

  override init(_ number: Int, depot: Warehouse? = nil) { super.init(number, depot: depot) }
}

@Model
final class Warehouse {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Freight.depot) var parcels: [Freight] = []
  @Relationship(inverse: \Watchman.depot) var guards: [Watchman] = []
  var tags: [Sticker] = []

  init(_ name: String) { self.name = name }
}

/// Somebody who must have a depot.
@Model
final class Watchman {
  var name: String
  var depot: Warehouse

  init(_ name: String, _ depot: Warehouse) {
    self.name = name
    self.depot = depot
  }
}

@Model
final class Sticker {
  var text: String
  @Relationship(inverse: \Warehouse.tags) var depots: [Warehouse] = []

  init(_ text: String) { self.text = text }
}

/// Something that is related to nothing.
@Model
final class Placard {
  var text: String

  init(_ text: String) { self.text = text }
}
