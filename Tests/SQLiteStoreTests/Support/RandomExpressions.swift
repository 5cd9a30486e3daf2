import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport

/// Expressions from a seed, over all entities of ``SampleSchema``, that have every node and the
/// right types.
struct RandomExpressions {
  /// What an expression gives.
  enum Kind: Hashable {
    case bool, integer, double, text, date, decimal
    case object(String)
  }

  private var generator: SeededGenerator
  private var variables: [Int: Kind] = [:]
  private var nextVariable = 1

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  static let texts = [
    "", "a", "b", "B", "ab", "A", "é", "e\u{301}", "e", "\u{212A}", "K", "k", "a\0b", "ß", "SS",
    "%", "_",
    "'", "가", "\u{1100}\u{1161}", "x\u{301}", "x", "👩‍👩‍👧", "a b", ";", "\u{37E}",
  ]
  static let integers: [Int64] = [.min, -128, -2, -1, 0, 1, 2, 3, 127, .max]
  static let doubles: [Double] = [-1e300, -1, -0.0, 0, 0.1, 1, 2.5, .infinity, -.infinity, .nan]
  static let decimals: [Decimal] = [0, 1, -1, 1.5, -0.25, 100, .nan]

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &generator)]
  }

  mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  // MARK: Values and rows

  mutating func value(of kind: Kind) -> StoreValue {
    switch kind {
    case .bool: .bool(chance(50))
    case .integer: .integer(pick(Self.integers))
    case .double: .double(pick(Self.doubles))
    case .text: .string(pick(Self.texts))
    case .date: .date(Date(timeIntervalSinceReferenceDate: pick(Self.doubles)))
    case .decimal: .decimal(pick(Self.decimals))
    case .object: .null
    }
  }

  private mutating func value(as type: AttributeType) -> StoreValue {
    if chance(15) { return .null }
    switch type {
    case .bool: return value(of: .bool)
    case .int8: return .integer(Int64.random(in: -128...127, using: &generator))
    case .int64: return value(of: .integer)
    case .uint64:
      return chance(30) ? .unsigned(pick([.max, 1 << 63])) : .integer(pick([0, 1, 5, .max]))
    case .float: return .double(Double(Float(pick(Self.doubles))))
    case .double: return value(of: .double)
    case .decimal: return value(of: .decimal)
    case .date: return value(of: .date)
    case .data: return .data(pick([Data(), Data([0]), Data([0, 1]), Data([255])]))
    case .uuid:
      let byte = UInt8.random(in: 0...3, using: &generator)
      return .uuid(UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte)))
    case .codable: return structure()
    default: return value(of: .text)
    }
  }

  /// A list of numbers and a structure with members of every kind.
  private mutating func structure() -> StoreValue {
    .composite([
      .init(
        "list",
        .array(
          (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            chance(10) ? .null : .integer(pick([-1, 0, 1, 2, .max]))
          }
        )
      ),
      .init("word", chance(20) ? .null : value(of: .text)),
      .init("1", value(of: .double)),
    ])
  }

  mutating func record(
    _ entity: StoreEntity,
    _ objects: [String: [PersistentIdentifier]]
  )
    -> DefaultSnapshot
  {
    var values: [String: StoreValue] = [:]
    for property in entity.properties {
      switch property.kind {
      case .attribute(let type): values[property.name] = value(as: type)
      case .toOne(let relationship):
        let others = objects[relationship.destination] ?? []
        if !others.isEmpty, chance(75) { values[property.name] = .identifier(pick(others)) }
      case .toMany(let relationship):
        let others = objects[relationship.destination] ?? []
        let some = others.filter { _ in chance(30) }.shuffled(using: &generator)
        if !property.isDerivedToMany || chance(60) { values[property.name] = .identifiers(some) }
      }
    }
    return .new(entity, values)
  }

  // MARK: Expressions

  mutating func filter(_ entity: String, depth: Int) -> QueryExpression {
    variables = [0: .object(entity)]
    nextVariable = 1
    return bool(depth)
  }

  mutating func sort(_ entity: String) -> QuerySort {
    variables = [0: .object(entity)]
    nextVariable = 1
    var kinds: [Kind] = [.bool, .integer, .double, .text, .date, .decimal]
    if hasObjects { kinds.append(.object("Trip")) }
    let kind = pick(kinds)
    return QuerySort(expression(kind, 2), isReversed: chance(50))
  }

  mutating func selection() -> StoreSelection {
    let entity = pick(["Values", "Trip", "Item", "Tag"])
    variables = [0: .object(entity)]
    nextVariable = 1
    var query = StoreQuery(entity: entity)
    if chance(60) { query.filter = bool(2) }
    if chance(40) { query.sort = [sort(entity)] }
    if chance(30) { query.limit = 4 }
    let kinds: [(Kind, AttributeType)] = [
      (.integer, .int64), (.double, .double), (.text, .string), (.date, .date),
      (.decimal, .decimal), (.bool, .bool), (.object("Trip"), .codable),
    ]
    guard chance(70) else {
      let columns = (0..<3).map { _ in StoreSelection.Column.value(expression(pick(kinds).0, 2)) }
      return StoreSelection(query, columns: columns)
    }
    let groups = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
      expression(pick(kinds).0, pick([0, 0, 1, 2]))
    }
    var columns = groups.indices.map { StoreSelection.Column.key($0) } + [.count]
    for _ in 0..<2 {
      let (kind, type) = pick(kinds)
      let isNumber = [.integer, .double, .decimal].contains(kind)
      let functions = StoreSelection.Function.allCases.filter {
        isNumber || ($0 != .sum && $0 != .average)
      }
      columns.append(.aggregate(pick(functions), expression(kind, pick([0, 1, 2])), type))
    }
    var selection = StoreSelection(query, groups: groups, columns: columns)
    if chance(30) {
      selection.having = .compare(
        .greater,
        StoreSelection.column(groups.count),
        .constant(.integer(1))
      )
    }
    if chance(50) {
      let column = Int.random(in: columns.indices, using: &generator)
      selection.order = [QuerySort(StoreSelection.column(column), isReversed: chance(50))]
    }
    return selection
  }

  mutating func expression(_ kind: Kind, _ depth: Int) -> QueryExpression {
    if depth <= 0 || chance(20) { return leaf(kind) }
    switch Int.random(in: 0..<10, using: &generator) {
    case 0:
      return .conditional(
        bool(depth - 1),
        then: expression(kind, depth - 1),
        else: expression(kind, depth - 1)
      )
    case 1: return .coalesce(expression(kind, depth - 1), expression(kind, depth - 1))
    case 2: return .unwrap(expression(kind, depth - 1))
    case 3:
      let other = pick(
        (hasObjects
          ? [.integer, .text, .object("Trip"), .object("Item")] : [.integer, .text]) as [Kind]
      )
      let operand = expression(other, depth - 1)
      return bound(other) { .map(operand, variable: $1, body: $0.expression(kind, depth - 1)) }
    case 4: if let found = taken(kind, depth) { return found }
    default: break
    }
    switch kind {
    case .bool: return bool(depth)
    case .integer: return integer(depth)
    case .double:
      return .arithmetic(
        pick([.add, .subtract, .multiply, .divide, .remainder]),
        expression(.double, depth - 1),
        expression(.double, depth - 1),
        .double
      )
    case .decimal:
      return .arithmetic(
        pick([.add, .subtract]),
        expression(.decimal, depth - 1),
        expression(.decimal, depth - 1),
        .decimal
      )
    default: return leaf(kind)
    }
  }

  private mutating func integer(_ depth: Int) -> QueryExpression {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return .negate(expression(.integer, depth - 1), pick([.int8, .int64]))
    case 1 where hasObjects:
      return .aggregate(.count, objects(pick(["Item", "Tag", "Trip"]), depth - 1))
    case 2: return .aggregate(.count, expression(.text, depth - 1))
    case 3:
      return .text(
        pick([.caseInsensitiveCompare, .localizedCompare]),
        expression(.text, depth - 1),
        expression(.text, depth - 1)
      )
    default:
      return .arithmetic(
        pick([.add, .subtract, .multiply, .divide, .remainder]),
        expression(.integer, depth - 1),
        expression(.integer, depth - 1),
        pick([.int8, .int64, .int64])
      )
    }
  }

  /// Something taken from a list.
  private mutating func taken(_ kind: Kind, _ depth: Int) -> QueryExpression? {
    switch kind {
    case .object(let entity):
      let list = objects(entity, depth - 1)
      if chance(30) {
        return .subscripted(list, chance(70) ? .constant(.integer(pick([-1, 0, 1]))) : integer(1))
      }
      return .aggregate(pick([.first, .last]), list)
    case .integer:
      if chance(50) { return .subscripted(list(), .constant(.integer(pick([0, 1])))) }
      return .aggregate(pick([.first, .last, .minimum, .maximum]), list())
    case .text: return .aggregate(pick([.first, .last]), leaf(.text))
    default: return nil
    }
  }

  /// Whether any object with relationships is in scope.
  private var hasObjects: Bool {
    variables.values.contains {
      $0 == .object("Trip") || $0 == .object("Item") || $0 == .object("Tag")
    }
  }

  mutating func bool(_ depth: Int) -> QueryExpression {
    if depth <= 0 { return leaf(.bool) }
    let below = depth - 1
    let choice = Int.random(in: 0..<16, using: &generator)
    if !hasObjects, [9, 10, 11, 13, 14].contains(choice) { return comparison(below) }
    switch choice {
    case 0, 1: return .and((0..<Int.random(in: 1...3, using: &generator)).map { _ in bool(below) })
    case 2, 3: return .or((0..<Int.random(in: 1...3, using: &generator)).map { _ in bool(below) })
    case 4: return .not(bool(below))
    case 5, 6: return comparison(below)
    case 7: return range(below)
    case 8: return text(below)
    case 9, 10: return quantified(below)
    case 11:
      let entity = pick(["Item", "Tag", "Trip"])
      return .contains(objects(entity, below), expression(.object(entity), below))
    case 12:
      return chance(50)
        ? .contains(list(), expression(.integer, below))
        : .quantified(
          pick([.some, .every]),
          list(),
          variable: 900,
          .compare(comparator(), .element(900), expression(.integer, below))
        )
    case 13:
      return .isKind(expression(.object("Trip"), below), entity: pick(["Trip", "BusinessTrip"]))
    case 14: return .aggregate(.isEmpty, objects(pick(["Item", "Tag", "Trip"]), below))
    default: return .conditional(bool(below), then: bool(below), else: bool(below))
    }
  }

  private mutating func comparator() -> QueryExpression.Comparison {
    pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
  }

  private mutating func comparison(_ depth: Int) -> QueryExpression {
    var kinds: [Kind] = [.bool, .integer, .double, .text, .date, .decimal]
    if hasObjects { kinds += [.object("Trip"), .object("Item")] }
    let kind = pick(kinds)
    let left = expression(kind, depth)
    if case .object = kind {
      let right = chance(30) ? .constant(.null) : expression(kind, depth)
      return .compare(pick([.equal, .notEqual]), left, right)
    }
    if chance(10) { return .compare(comparator(), left, .constant(.null)) }
    if chance(15) {
      let count = pick([1, 3, 12])
      return .contains(
        .constant(.array((0..<count).map { _ in chance(10) ? .null : value(of: kind) })),
        left
      )
    }
    return chance(50)
      ? .compare(comparator(), left, .constant(value(of: kind)))
      : .compare(comparator(), left, expression(kind, depth))
  }

  private mutating func range(_ depth: Int) -> QueryExpression {
    let kind = pick([.integer, .double, .text, .date] as [Kind])
    let ends =
      chance(80)
      ? (QueryExpression.constant(value(of: kind)), QueryExpression.constant(value(of: kind)))
      : (expression(kind, depth), expression(kind, depth))
    return .isInRange(
      expression(kind, depth),
      lower: ends.0,
      upper: ends.1,
      closed: chance(50)
    )
  }

  private static let pattern = QueryPattern(source: "[ab]") { $0.contains("a") || $0.contains("b") }

  private mutating func text(_ depth: Int) -> QueryExpression {
    let left = expression(.text, depth)
    let right = chance(70) ? .constant(value(of: .text)) : expression(.text, depth)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return .matches(left, Self.pattern)
    case 1: return .searches(left, TextSearch(pick(["a", "b", "e"])))
    case 2: return .aggregate(.isEmpty, left)
    default:
      return .text(pick([.contains, .startsWith, .localizedStandardContains]), left, right)
    }
  }

  private mutating func quantified(_ depth: Int) -> QueryExpression {
    let entity = pick(["Item", "Tag", "Trip"])
    let list = objects(entity, depth)
    return bound(.object(entity)) {
      .quantified($0.pick([.some, .every]), list, variable: $1, $0.bool(depth))
    }
  }

  /// Runs a body with one more variable.
  private mutating func bound(
    _ kind: Kind,
    _ body: (inout RandomExpressions, Int) -> QueryExpression
  ) -> QueryExpression {
    let number = nextVariable
    nextVariable += 1
    variables[number] = kind
    let result = body(&self, number)
    variables[number] = nil
    return result
  }

  /// The members of a relationship to an entity, filtered now and then.
  private mutating func objects(_ entity: String, _ depth: Int) -> QueryExpression {
    let (owner, name) =
      switch entity {
      case "Item": ("Trip", "items")
      case "Tag": ("Trip", "tags")
      default: ("Tag", "trips")
      }
    let list = QueryExpression.property(expression(.object(owner), min(depth, 1)), name)
    guard depth > 0, chance(25) else { return list }
    return bound(.object(entity)) { .filter(list, variable: $1, $0.bool(depth - 1)) }
  }

  /// A list of numbers of a structure.
  private mutating func list() -> QueryExpression {
    if chance(30) { return .constant(.array([.integer(0), .integer(1), .null])) }
    return .property(.property(object("Values"), "codable"), "list")
  }

  private mutating func object(_ entity: String) -> QueryExpression {
    let bound = variables.keys.sorted().filter { variables[$0] == .object(entity) }
    if !bound.isEmpty { return .element(pick(bound)) }
    switch entity {
    case "Trip": return .property(object("Item"), "trip")
    case "Item": return .aggregate(.first, .property(tripOrTag(), "items"))
    case "Tag": return .aggregate(.last, .property(tripOrTag(), "tags"))
    default: return .constant(.null)
    }
  }

  private mutating func tripOrTag() -> QueryExpression {
    let trips = variables.keys.sorted().filter { variables[$0] == .object("Trip") }
    if !trips.isEmpty { return .element(pick(trips)) }
    let tags = variables.keys.sorted().filter { variables[$0] == .object("Tag") }
    if !tags.isEmpty { return .aggregate(.first, .property(.element(pick(tags)), "trips")) }
    return .constant(.null)
  }

  private mutating func leaf(_ kind: Kind) -> QueryExpression {
    let bound = variables.keys.sorted().filter { variables[$0] == kind }
    if !bound.isEmpty, chance(60) { return .element(pick(bound)) }
    if case .object(let entity) = kind {
      if entity == "Trip", chance(30) { return .property(object("Trip"), "next") }
      if entity == "Trip", chance(20) { return .cast(object("Trip"), entity: "BusinessTrip") }
      return object(entity)
    }
    if chance(15) { return .constant(value(of: kind)) }
    let candidates = Self.properties[kind] ?? []
    let known = candidates.filter { property in
      variables.values.contains(.object(property.entity))
        || (property.entity == "BusinessTrip" && variables.values.contains(.object("Trip")))
    }
    guard !known.isEmpty else { return .constant(value(of: kind)) }
    let property = pick(known)
    if property.entity == "BusinessTrip" {
      return .property(.cast(object("Trip"), entity: "BusinessTrip"), property.path[0])
    }
    return property.path.reduce(object(property.entity)) { .property($0, $1) }
  }

  private static let properties: [Kind: [(entity: String, path: [String])]] = [
    .bool: [("Values", ["bool"])],
    .integer: [
      ("Values", ["int8"]), ("Values", ["int64"]), ("Trip", ["days"]), ("BusinessTrip", ["note"]),
      ("Item", ["trip", "days"]), ("Item", ["trip", "next", "days"]),
    ],
    .double: [
      ("Values", ["double"]), ("Values", ["float"]), ("BusinessTrip", ["perDiem"]),
      ("Values", ["codable", "1"]),
    ],
    .text: [
      ("Values", ["string"]), ("Values", ["url"]), ("Values", ["codable", "word"]),
      ("Trip", ["name"]), ("Item", ["title"]), ("Tag", ["name"]), ("Item", ["trip", "name"]),
      ("BusinessTrip", ["code"]), ("Trip", ["next", "name"]),
    ],
    .date: [("Values", ["date"]), ("Trip", ["start"]), ("Trip", ["next", "start"])],
    .decimal: [("Values", ["decimal"])],
  ]
}
