import Foundation
import ModelLayer

/// Rules about models in programs, on any store that a container accepts.
enum ModelRules {
  static let all: [Rule] = [
    rule("MODEL-001", "An object that one context saves can be fetched by another.", saving),
    rule("MODEL-002", "Each value is read back exactly.", values),
    rule("MODEL-003", "Other contexts see changes and deletions of saved objects.", changing),
    rule(
      "MODEL-004",
      "Objects that are saved together keep their references, including cycles.",
      circles
    ),
    rule("MODEL-005", "Related objects are read back in their order.", order),
    rule("MODEL-006", "Both sides of a many-to-many relationship agree.", manyToMany),
    rule(
      "MODEL-007",
      "A fetch filters, sorts and applies limit and offset as Swift does.",
      fetching
    ),
    rule("MODEL-008", "Counts and identifiers agree with the objects.", counting),
    rule("MODEL-009", "A fetch of a class returns objects of its subclasses.", inheritance),
    rule("MODEL-010", "A deletion follows the delete rules.", deleteRules),
    rule("MODEL-011", "Identifiers are permanent after a save, and unique.", identifiers),
    rule("MODEL-012", "Unsaved changes are not stored.", unsaved),
    Rule(
      "MODEL-013",
      "Objects persist when the store is reopened.",
      needs: [.durability],
      interface: .models,
      reopening
    ),
    Rule(
      "MODEL-014",
      "An identifier refers to the same object when the store is reopened.",
      needs: [.durability],
      interface: .models,
      lastingIdentifiers
    ),
  ]

  private static func rule(
    _ id: String,
    _ sentence: String,
    _ check: @escaping @Sendable (ModelContainer) throws -> Void
  ) -> Rule {
    Rule(id, sentence, interface: .models) { try $0.withContainer(check) }
  }

  private static func voyages(_ container: ModelContainer) throws -> [Voyage] {
    let order = FetchDescriptor<Voyage>(sortBy: [SortDescriptor(\.name)])
    return try ModelContext(container).fetch(order)
  }

  private static func first<T: PersistentModel>(
    _ found: [T],
    _ subject: String
  ) throws -> T {
    guard found.count == 1, let object = found.first else {
      throw RuleViolation(subject, expected: "one object", found: "\(found.count)")
    }
    return object
  }

  @discardableResult
  static func saved(
    _ container: ModelContainer,
    _ objects: [any PersistentModel]
  ) throws -> ModelContext {
    let context = ModelContext(container)
    for object in objects { context.insert(object) }
    try context.save()
    return context
  }

  @Sendable private static func saving(_ container: ModelContainer) throws {
    try saved(container, [Voyage("Fram", days: 3), Voyage("Beagle", days: 1)])
    let found = try voyages(container)
    try expect("the names", found.map(\.name), equals: ["Beagle", "Fram"])
    try expect("the days", found.map(\.days), equals: [1, 3])
  }

  @Sendable private static func values(_ container: ModelContainer) throws {
    let voyage = Voyage("e\u{301}\0\u{10FFFF}", days: .min)
    voyage.begins = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7)
    voyage.cost = -0.0
    voyage.end = .lost
    voyage.notes = ["", "a\nb", "\""]
    let sailor = Sailor("Ada")
    sailor.portrait = Data([0, 255, 128])
    sailor.page = URL(string: "https://example.org/a%20b?q=1#f")
    sailor.pay = Decimal(string: "12345678901234567890.123456789") ?? 0
    let landfall = Landfall("Hull", at: Position(latitude: 0.1, longitude: .infinity))
    landfall.number = .max
    voyage.crew = [sailor]
    voyage.landfalls = [landfall]
    try saved(container, [voyage])
    let found = try first(voyages(container), "the voyages")
    let scalars = Array(found.name.unicodeScalars)
    try expect("the text", scalars, equals: Array("e\u{301}\0\u{10FFFF}".unicodeScalars))
    try expect("the number", found.days, equals: .min)
    try expect("the date", found.begins, equals: voyage.begins)
    try expect("the sign of zero", found.cost.sign, equals: .minus)
    try expect("the enumeration", found.end, equals: .lost)
    try expect("the list", found.notes, equals: ["", "a\nb", "\""])
    try expectValues(found, sailor)
  }

  private static func expectValues(_ found: Voyage, _ sailor: Sailor) throws {
    let other = try first(found.crew, "the crew")
    try expect("the data", other.portrait, equals: Data([0, 255, 128]))
    try expect("the URL", other.page, equals: sailor.page)
    try expect("the decimal number", other.pay, equals: sailor.pay)
    try expect("the UUID", other.badge, equals: sailor.badge)
    let landfall = try first(found.landfalls, "the landfalls")
    let position = Position(latitude: 0.1, longitude: .infinity)
    try expect("the structure", landfall.position, equals: position)
    try expect("the largest number", landfall.number, equals: .max)
  }

  @Sendable private static func changing(_ container: ModelContainer) throws {
    let voyages = ["a", "b", "c"].map { Voyage($0) }
    let context = try saved(container, voyages)
    voyages[0].days = 9
    voyages[1].end = .happy
    voyages[1].end = nil
    context.delete(voyages[2])
    try context.save()
    let found = try self.voyages(container)
    try expect("the names", found.map(\.name), equals: ["a", "b"])
    try expect("the days", found.map(\.days), equals: [9, 0])
    try expect("the end", found[1].end, equals: nil)
  }

  @Sendable private static func circles(_ container: ModelContainer) throws {
    let voyages = ["a", "b", "c"].map { Voyage($0) }
    voyages[0].flagship = voyages[1]
    voyages[1].flagship = voyages[0]
    voyages[2].flagship = voyages[2]
    try saved(container, voyages)
    let found = try self.voyages(container)
    let flagships = found.map { $0.flagship?.name }
    try expect("the flagships", flagships, equals: ["b", "a", "c"])
    try expect("the object", found[2].flagship === found[2], "one object for one identifier")
  }

  @Sendable private static func order(_ container: ModelContainer) throws {
    let voyage = Voyage("Fram")
    let harbours = ["d", "a", "c", "b"]
    voyage.landfalls = harbours.map { Landfall($0) }
    let context = try saved(container, [voyage])
    let found = try first(voyages(container), "the voyages")
    try expect("the landfalls", found.landfalls.map(\.harbour), equals: harbours)
    voyage.landfalls.swapAt(0, 3)
    voyage.landfalls.remove(at: 1)
    try context.save()
    let again = try first(voyages(container), "the voyages")
    try expect("the changed landfalls", again.landfalls.map(\.harbour), equals: ["b", "c", "d"])
    let owners = again.landfalls.map { $0.voyage?.name }
    try expect("the other side", owners, equals: ["Fram", "Fram", "Fram"])
  }

  @Sendable private static func manyToMany(_ container: ModelContainer) throws {
    let voyages = ["a", "b"].map { Voyage($0) }
    let sailors = ["x", "y", "z"].map { Sailor($0) }
    voyages[0].crew = [sailors[2], sailors[0]]
    voyages[1].crew = [sailors[0], sailors[1]]
    try saved(container, voyages)
    let found = try self.voyages(container)
    try expect("the voyages", found.map(\.name), equals: ["a", "b"])
    try expect("the crew of a", found[0].crew.map(\.name), equals: ["z", "x"])
    let both = found[0].crew.last?.voyages.map(\.name).sorted()
    try expect("the voyages of x", both, equals: ["a", "b"])
  }
}
