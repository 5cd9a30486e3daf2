import Foundation
import StoreProtocol

/// Rows, filters, sorts and windows from a seed, over the entity `Values` of ``SampleSchema``.
struct RandomQueries {
  var generator: SeededGenerator

  /// Whether rows and constants have the values that SQL and Swift see differently.
  let hasHardValues: Bool

  init(seed: UInt64, hasHardValues: Bool) {
    generator = SeededGenerator(seed: seed)
    self.hasHardValues = hasHardValues
  }

  private static let integers: [Int64] = [.min, -2, -1, 0, 1, 2, 3, 7, .max]
  private static let plainTexts = ["", "a", "b", "B", "ab", "é", "Z", "ß", "👩‍👩‍👧", "%", "_", "'"]
  private static let hardTexts = [
    "e\u{301}", "\u{212A}", "K", "a\0b", "\u{1100}\u{1161}", "가", "\u{FB01}",
  ]
  private static let plainNumbers: [Double] = [-1e300, -1, 0, 0.1, 1, 2.5, .infinity, -.infinity]
  private static let hardNumbers: [Double] = [-0.0, .nan]
  private static let uuids = (0..<4).map {
    UUID(uuid: ($0 * 80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0))
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &generator)]
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  private mutating func number() -> Double {
    pick(hasHardValues ? Self.plainNumbers + Self.hardNumbers : Self.plainNumbers)
  }

  mutating func value(of property: String) -> StoreValue {
    if chance(15) { return .null }
    switch property {
    case "bool": return .bool(chance(50))
    case "int8": return .integer(Int64.random(in: -3...3, using: &generator))
    case "int64": return .integer(pick(Self.integers))
    case "uint64":
      return chance(30)
        ? .unsigned(pick([UInt64.max, UInt64.max - 1, 1 << 63])) : .integer(pick([0, 1, 5, .max]))
    case "float": return .double(Double(Float(number())))
    case "double": return .double(number())
    case "decimal": return .decimal(pick([0, 1, -1, Decimal(string: "1.5") ?? 0]))
    case "string", "url":
      return .string(pick(hasHardValues ? Self.plainTexts + Self.hardTexts : Self.plainTexts))
    case "date": return .date(Date(timeIntervalSinceReferenceDate: number()))
    case "data": return .data(pick([Data(), Data([0]), Data([0, 1]), Data([255])]))
    case "uuid": return .uuid(pick(Self.uuids))
    default: return pick([.array([.integer(1)]), .composite([.init("a", .bool(true))])])
    }
  }

  mutating func record() -> DefaultSnapshot {
    var values: [String: StoreValue] = [:]
    for property in SampleSchema.values.properties {
      values[property.name] = value(of: property.name)
    }
    return .new(SampleSchema.values, values)
  }

  mutating func filter(
    _ identifiers: [PersistentIdentifier],
    depth: Int = 3
  ) -> QueryExpression {
    if depth > 0, chance(60) {
      let terms = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        filter(identifiers, depth: depth - 1)
      }
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: return .and(terms)
      case 1: return .or(terms)
      default: return .not(terms[0])
      }
    }
    return leaf(identifiers)
  }

  private mutating func leaf(_ identifiers: [PersistentIdentifier]) -> QueryExpression {
    let name = pick(SampleSchema.values.properties.map(\.name))
    let property = QueryExpression.property(.element(0), name)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: return .contains(.constant(.identifiers(some(identifiers))), .element(0))
    case 1:
      return .compare(
        pick([.equal, .notEqual]),
        .element(0),
        .constant(.identifier(pick(identifiers)))
      )
    case 2:
      let list = (0..<4).map { _ in value(of: name) }
      return .contains(.constant(.array(list)), property)
    case 3:
      return .isInRange(
        property,
        lower: .constant(value(of: name)),
        upper: .constant(value(of: name)),
        closed: chance(50)
      )
    case 4: return .compare(comparison(), .constant(value(of: name)), property)
    case 5: return .property(.element(0), "bool")
    // Nothing that SQL says: the evaluator's share of a filter.
    case 6: return .compare(comparison(), property, .property(.element(0), name))
    case 7: return .compare(pick([.equal, .notEqual]), property, .constant(.null))
    default: return .compare(comparison(), property, .constant(value(of: name)))
    }
  }

  private mutating func some(_ identifiers: [PersistentIdentifier]) -> [PersistentIdentifier] {
    identifiers.filter { _ in chance(40) }
  }

  private mutating func comparison() -> QueryExpression.Comparison {
    pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
  }

  mutating func query(_ identifiers: [PersistentIdentifier]) -> StoreQuery {
    var query = StoreQuery(entity: "Values")
    if chance(90) { query.filter = filter(identifiers) }
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      query.sort.append(
        QuerySort(
          property: pick(SampleSchema.values.properties.map(\.name)),
          isReversed: chance(50)
        )
      )
    }
    if chance(40) { query.offset = Int.random(in: 0...10, using: &generator) }
    if chance(40) { query.limit = Int.random(in: 0...10, using: &generator) }
    return query
  }
}
