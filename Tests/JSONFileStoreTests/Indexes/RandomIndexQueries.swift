import Foundation
import StoreProtocol
import StoreTestSupport

/// Random queries of the forms that indexes support, among others that they do not.
struct RandomIndexQueries {
  var random: SeededGenerator
  let identifiers: [PersistentIdentifier]

  mutating func query() -> StoreQuery {
    let isPlain = oneIn(4)
    return StoreQuery(
      entity: oneIn(3) ? "Special" : "Thing",
      includesSubentities: !oneIn(5),
      filter: isPlain ? nil : filter(depth: 2),
      sort: sort(),
      offset: oneIn(3) ? .random(in: -1...30, using: &random) : 0,
      limit: oneIn(2) ? .random(in: -1...20, using: &random) : nil
    )
  }

  mutating func filter(depth: Int) -> QueryExpression {
    let count = Int.random(in: 2...3, using: &random)
    switch Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &random) {
    case 6, 7, 8: return .and((0..<count).map { _ in filter(depth: depth - 1) })
    case 9: return .or((0..<count).map { _ in filter(depth: depth - 1) })
    default: return condition()
    }
  }

  private mutating func oneIn(_ number: Int) -> Bool {
    Int.random(in: 0..<number, using: &random) == 0
  }

  private mutating func sort() -> [QuerySort] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in
      let name = oneIn(8) ? "owner" : oneIn(2) ? "rank" : attribute().name
      return QuerySort(property: name, isReversed: oneIn(2))
    }
  }

  private mutating func attribute() -> (name: String, type: AttributeType) {
    IndexedSchema.attributes.randomElement(using: &random) ?? ("rank", .int64)
  }

  private func property(_ name: String) -> QueryExpression { .property(.element(0), name) }

  private mutating func constant(_ type: AttributeType) -> StoreValue {
    if oneIn(10) { return .null }
    // Numbers of other kinds, and values of types that the property does not have.
    if oneIn(6) { return IndexedSchema.value(attribute().type, &random) }
    return IndexedSchema.value(type, &random)
  }

  private mutating func condition() -> QueryExpression {
    let (name, type) = attribute()
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return property("flag")
    case 1: return .not(property("flag"))
    case 2:
      let list = (0..<Int.random(in: 0...12, using: &random)).map { _ in constant(type) }
      return .contains(.constant(.array(list)), property(name))
    case 3:
      let (lower, upper) = (constant(type), constant(type))
      let closed = oneIn(2)
      return .isInRange(
        property(name),
        lower: .constant(lower),
        upper: .constant(upper),
        closed: closed
      )
    case 4:
      let text = IndexedSchema.text(&random)
      return .text(.startsWith, property("text"), .constant(.string(text)))
    case 5: return reference()
    case 6: return .contains(.constant(.identifiers(someIdentifiers())), .element(0))
    case 7:
      let sum = QueryExpression.arithmetic(
        .add,
        property("whole"),
        .constant(.integer(1)),
        .int64
      )
      return .compare(.greater, sum, .constant(.integer(0)))
    default:
      let all: [QueryExpression.Comparison] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
      ]
      let comparison = all.randomElement(using: &random) ?? .equal
      let value = QueryExpression.constant(constant(type))
      return oneIn(4)
        ? .compare(comparison, value, property(name)) : .compare(comparison, property(name), value)
    }
  }

  private mutating func reference() -> QueryExpression {
    if oneIn(4) { return .compare(.equal, property("owner"), .constant(.null)) }
    if oneIn(2) { return .contains(.constant(.identifiers(someIdentifiers())), property("owner")) }
    let one = identifiers.prefix(6).randomElement(using: &random).map(StoreValue.identifier)
    return .compare(oneIn(5) ? .notEqual : .equal, property("owner"), .constant(one ?? .null))
  }

  private mutating func someIdentifiers() -> [PersistentIdentifier] {
    (0..<Int.random(in: 0...9, using: &random)).compactMap { _ in
      oneIn(2)
        ? identifiers.prefix(6).randomElement(using: &random)
        : identifiers.randomElement(using: &random)
    }
  }
}
