import Foundation
import OpenSwiftData

/// The models of stores that are damaged: every kind of value and relationship.
enum Damage {
  @Model
  final class Specimen {
    @Attribute(.unique) var code: String
    var number = 0
    var small: Int8 = -1
    var large: UInt64 = .max
    var weight = 1.5
    var price: Decimal = 12.5
    var isWhole = true
    var found = Date(timeIntervalSinceReferenceDate: 0.25)
    var tag = UUID()
    var source: URL?
    var mood = Mood.calm
    var place = Place(x: 1, y: nil)
    var words: [String] = ["a", "b"]
    @Attribute(.fullText) var notes: String?
    @Attribute(.externalStorage) var photo: Data?
    var raw: Data?
    var shelf: Shelf?
    var friends: [Specimen] = []

    init(code: String) { self.code = code }
  }

  @Model
  final class Shelf {
    #Index<Shelf>([\.label])
    var label: String
    @Relationship(inverse: \Damage.Specimen.shelf) var specimens: [Specimen] = []

    init(label: String) { self.label = label }
  }

  enum Mood: String, Codable { case calm, wild }

  struct Place: Codable, Equatable {
    var x: Int
    var y: Double?
  }
}

extension ModelContext {
  /// Reads every value of every object, as a program would that knows nothing of the damage.
  ///
  /// - Returns: A number that depends on all of them, so that nothing is left out.
  func touchDamaged() throws -> Int {
    var sum = 0
    for specimen in try fetch(FetchDescriptor<Damage.Specimen>()) {
      sum &+= specimen.code.count &+ specimen.number &+ Int(specimen.small)
      sum &+= Int(truncatingIfNeeded: specimen.large) &+ specimen.weight.description.count
      sum &+= specimen.price.description.count &+ (specimen.isWhole ? 1 : 0)
      sum &+= specimen.found.timeIntervalSinceReferenceDate.description.count
      sum &+= specimen.tag.uuidString.count &+ (specimen.source?.absoluteString.count ?? 0)
      sum &+= specimen.mood.rawValue.count &+ specimen.place.x &+ specimen.words.count
      sum &+= (specimen.notes?.count ?? 0) &+ (specimen.photo?.count ?? 0)
      sum &+= (specimen.raw?.count ?? 0) &+ (specimen.shelf?.label.count ?? 0)
      sum &+= specimen.friends.reduce(0) { $0 &+ $1.code.count }
    }
    for shelf in try fetch(FetchDescriptor<Damage.Shelf>(sortBy: [SortDescriptor(\.label)])) {
      sum &+= shelf.label.count &+ shelf.specimens.reduce(0) { $0 &+ $1.code.count }
    }
    let heavy = FetchDescriptor<Damage.Specimen>(
      predicate: #Predicate { $0.weight > 1 && $0.code != "x" && $0.shelf?.label == "s1" },
      sortBy: [SortDescriptor(\.code), SortDescriptor(\.number)]
    )
    return sum &+ (try fetch(heavy).count)
  }
}
