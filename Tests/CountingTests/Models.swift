import Foundation
import OpenSwiftData
import Synchronization

/// Counts that an object was made, since each has one of its own.
struct Birth {
  /// How many there were in all.
  static let count = Atomic(0)

  init() { Self.count.add(1, ordering: .relaxed) }
}

@Model
final class Trip {
  #Index<Trip>([\.rank])

  var name: String
  var rank: Int
  var start: Date
  @Relationship(deleteRule: .cascade, inverse: \Item.trip) var items: [Item] = []
  @Transient var birth = Birth()

  init(_ number: Int) {
    name = "trip \(number)"
    rank = number
    start = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
    items = (0..<Self.itemCount).map { Item("item \($0) of \(number)") }
  }

  /// How many items each trip has.
  static let itemCount = 3
}

@Model
final class Item {
  var title: String
  var trip: Trip?
  @Transient var birth = Birth()

  init(_ title: String) {
    self.title = title
  }
}
