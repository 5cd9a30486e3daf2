import StoreProtocol

/// Rules about composed conditions that careless stores evaluate wrongly, with one small data set
/// for all.
enum NodeRules {
  /// A condition on an entity's rows, with the numbers of the matching rows.
  private typealias Case = (entity: String, filter: QueryExpression, expected: [Int64])

  static let all: [Rule] = [
    rule("QUERY-060", "The related rows of nil are nil, not an empty list.", members),
    rule("QUERY-061", "The first and last related row follow the order of the relationship.", ends),
    rule("QUERY-062", "A condition on related rows can refer to the outer row.", outer),
    rule("QUERY-063", "An expression that Swift would not evaluate does not trap.", passedOver),
    rule("QUERY-064", "Related rows are tested in order, until one determines the result.", inTurn),
    rule("QUERY-065", "A range with a lower bound above its upper bound matches no row.", ranges),
    rule("QUERY-066", "Arrays have elements by index, dictionaries by key.", elements),
    rule("QUERY-067", "A list contains nil if one of its elements is nil.", containedNil),
    rule("QUERY-068", "A condition can cast an object to a subentity.", casts),
    rule("QUERY-069", "A condition can select between two values.", choices),
    rule("QUERY-070", "Related rows that satisfy a condition can be counted.", filtered),
    rule("QUERY-071", "Lists have a minimum and a maximum, or nil if they are empty.", extremes),
  ]

  private static func rule(
    _ id: String,
    _ sentence: String,
    _ cases: @escaping @Sendable () -> [Case]
  ) -> Rule {
    Rule(id, sentence, needs: [.nativeFiltering]) { bench in
      let store = try LoadedStore(try bench.neighbour(), world, deleted: [])
      for (entity, filter, expected) in cases() {
        let query = StoreQuery(entity: entity, filter: filter)
        let found = try store.fetch(query).map(\.number)
        try expect("the rows of \(query)", found, equals: expected)
      }
    }
  }

  private static func one(_ number: Int64, _ entity: String) -> StoreValue {
    .identifier(DifferentialRow.identifier(number, entity))
  }

  /// Three people, three animals, and a vase with a foot and a lid, in this order.
  static var world: [DifferentialRow] {
    let parts = [9, 8].map { DifferentialRow.identifier($0, "Exhibit") }
    let pets = [5, 4].map { DifferentialRow.identifier($0, "Animal") }
    return [
      DifferentialRow(
        1,
        "Person",
        ["name": .string("Ada"), "age": .integer(40), "pets": .identifiers(pets)]
      ),
      DifferentialRow(2, "Person", ["name": .string("Bob"), "mentor": one(1, "Person")]),
      DifferentialRow(
        3,
        "Person",
        ["name": .string("Cid"), "age": .integer(7), "mentor": one(1, "Person")]
      ),
      DifferentialRow(
        4,
        "Dog",
        ["name": .string("Rex"), "weight": .double(30), "owner": one(1, "Person")]
      ),
      DifferentialRow(5, "Cat", ["name": .string("Tom"), "owner": one(1, "Person")]),
      DifferentialRow(6, "Puppy", ["name": .string("Pip"), "owner": one(2, "Person")]),
      DifferentialRow(
        7,
        "Exhibit",
        [
          "name": .string("Vase"), "count": .integer(3), "keeper": one(1, "Person"),
          "words": .array([.string("a"), .string("b")]), "maybes": .array([.integer(1), .null]),
          "counts": .composite([.init("a", .integer(2))]), "parts": .identifiers(parts),
        ]
      ),
      DifferentialRow(
        8,
        "Exhibit",
        [
          "name": .string("Lid"), "count": .integer(.max), "whole": one(7, "Exhibit"),
          "keeper": one(2, "Person"),
        ]
      ),
      DifferentialRow(9, "Exhibit", ["name": .string("Foot"), "whole": one(7, "Exhibit")]),
    ]
  }
}

extension NodeRules {
  private static func next(_ value: QueryExpression) -> QueryExpression {
    .arithmetic(.add, value, .integer(1), .int64)
  }

  @Sendable private static func members() -> [Case] {
    let favourites = QueryExpression.property(.row("keeper"), "favourites")
    return [
      ("Exhibit", .compare(.notEqual, favourites, .constant(.identifiers([]))), [9]),
      ("Exhibit", .compare(.equal, favourites, .constant(.null)), [9]),
      ("Exhibit", .aggregate(.isEmpty, .unwrap(favourites)), [7, 8]),
    ]
  }

  @Sendable private static func ends() -> [Case] {
    [
      (
        "Person",
        .compare(.equal, .aggregate(.first, .row("pets")), .constant(one(5, "Cat"))), [1]
      ),
      (
        "Person",
        .compare(
          .equal,
          .property(.aggregate(.last, .row("pets")), "name"),
          .string("Rex")
        ), [1]
      ),
      ("Person", .compare(.equal, .aggregate(.last, .row("pets")), .constant(.null)), [3]),
    ]
  }

  @Sendable private static func outer() -> [Case] {
    let larger = QueryExpression.compare(
      .greater,
      .property(.element(1), "count"),
      .row("count")
    )
    return [
      ("Exhibit", .quantified(.some, .row("parts"), variable: 1, larger), [7]),
      ("Exhibit", .quantified(.every, .row("parts"), variable: 1, larger), [8, 9]),
    ]
  }

  @Sendable private static func passedOver() -> [Case] {
    let isLid = QueryExpression.row("name", .equal, .string("Lid"))
    let grows = QueryExpression.compare(.greater, next(.row("count")), .integer(3))
    return [
      ("Exhibit", .or([isLid, grows]), [7, 8]), ("Exhibit", .or([grows, isLid]), [7]),
      ("Exhibit", .not(grows), [9]), ("Exhibit", .and([.not(isLid), grows]), [7]),
      ("Exhibit", .conditional(isLid, then: isLid, else: grows), [7, 8]),
    ]
  }

  @Sendable private static func inTurn() -> [Case] {
    let grows = QueryExpression.compare(
      .greater,
      next(.property(.element(1), "count")),
      .integer(0)
    )
    return [
      ("Exhibit", .quantified(.some, .row("parts"), variable: 1, grows), [7]),
      ("Exhibit", .quantified(.every, .row("parts"), variable: 1, grows), [8, 9]),
      ("Exhibit", .not(.quantified(.some, .row("parts"), variable: 1, .not(grows))), [8, 9]),
    ]
  }

  @Sendable private static func ranges() -> [Case] {
    let range = QueryExpression.isInRange(
      .integer(1),
      lower: .row("count"),
      upper: .integer(2),
      closed: true
    )
    return [("Exhibit", range, [9]), ("Exhibit", .not(range), [])]
  }

  @Sendable private static func elements() -> [Case] {
    [
      ("Exhibit", .compare(.equal, .subscripted(.row("words"), .integer(0)), .string("a")), [7]),
      ("Exhibit", .compare(.notEqual, .subscripted(.row("words"), .integer(1)), .string("a")), [7]),
      ("Exhibit", .compare(.equal, .subscripted(.row("counts"), .string("a")), .integer(2)), [7]),
      (
        "Exhibit", .compare(.equal, .subscripted(.row("counts"), .string("a")), .constant(.null)),
        [8, 9]
      ),
    ]
  }

  @Sendable private static func containedNil() -> [Case] {
    [
      ("Exhibit", .contains(.row("maybes"), .constant(.null)), [7]),
      ("Person", .contains(.constant(.array([.integer(7), .null])), .row("age")), [2, 3]),
      ("Person", .not(.contains(.constant(.array([.integer(7)])), .row("age"))), [1, 2]),
    ]
  }

  @Sendable private static func casts() -> [Case] {
    let dog = QueryExpression.cast(.element(0), entity: "Dog")
    return [
      ("Animal", .compare(.equal, .property(dog, "name"), .constant(.null)), [5]),
      ("Animal", .compare(.equal, dog, .element(0)), [4, 6]),
      ("Person", .isKind(.aggregate(.first, .row("pets")), entity: "Dog"), [2]),
    ]
  }

  @Sendable private static func choices() -> [Case] {
    let hasAge = QueryExpression.row("age", .notEqual, .null)
    let age = QueryExpression.conditional(hasAge, then: .unwrap(.row("age")), else: .integer(0))
    return [
      ("Person", .compare(.greater, age, .integer(6)), [1, 3]),
      ("Person", .compare(.lessOrEqual, age, .integer(7)), [2, 3]),
      ("Person", .compare(.greater, .unwrap(.row("age")), .integer(0)), [1, 3]),
      ("Person", .not(.compare(.greater, .unwrap(.row("age")), .integer(10))), [3]),
    ]
  }

  @Sendable private static func filtered() -> [Case] {
    let weighed = QueryExpression.filter(
      .row("pets"),
      variable: 1,
      .compare(.notEqual, .property(.element(1), "weight"), .constant(.null))
    )
    return [
      ("Person", .compare(.equal, .aggregate(.count, weighed), .integer(1)), [1]),
      ("Person", .aggregate(.isEmpty, weighed), [2, 3]),
      ("Person", .compare(.equal, .aggregate(.first, weighed), .constant(one(4, "Dog"))), [1]),
    ]
  }

  @Sendable private static func extremes() -> [Case] {
    [
      ("Exhibit", .compare(.equal, .aggregate(.maximum, .row("words")), .string("b")), [7]),
      ("Exhibit", .compare(.equal, .aggregate(.minimum, .row("words")), .constant(.null)), [8, 9]),
    ]
  }
}
