import OpenSwiftData
import StoreConformance
import Testing

@Suite struct `Descriptions of queries` {
  private let name = QueryExpression.property(.element(0), "name")
  private let age = QueryExpression.property(.element(0), "age")

  private func number(_ value: Int64) -> QueryExpression { .constant(.integer(value)) }

  @Test func `reads like Swift`() {
    let pets = QueryExpression.quantified(
      .some,
      .property(.element(0), "pets"),
      variable: 1,
      .compare(.greater, .property(.element(1), "weight"), .constant(.double(3)))
    )
    let filter = QueryExpression.and([.compare(.equal, name, .constant(.string("Rome"))), pets])
    #expect(filter.description == #"$0.name == "Rome" && $0.pets.contains { $1.weight > 3.0 }"#)
    let query = StoreQuery(
      entity: "Person",
      filter: filter,
      sort: [QuerySort(property: "age", isReversed: true), QuerySort(name)],
      offset: 2,
      limit: 5
    )
    #expect(
      query.description
        == #"Person where \#(filter) sorted by $0.age reversed, $0.name offset 2 limit 5"#
    )
    #expect(StoreQuery(entity: "Dog", includesSubentities: false).description == "Dog alone")
  }

  @Test func `has parentheses only if they are needed`() {
    let sum = QueryExpression.arithmetic(.add, age, number(1), .int64)
    let product = QueryExpression.arithmetic(.multiply, sum, number(2), .int64)
    #expect(product.description == "($0.age + 1) * 2")
    let difference = QueryExpression.arithmetic(.subtract, number(3), sum, .int64)
    #expect(difference.description == "3 - ($0.age + 1)")
    let longer = QueryExpression.arithmetic(.subtract, sum, number(3), .int64)
    #expect(longer.description == "$0.age + 1 - 3")
    let either = QueryExpression.or([.isKind(.element(0), entity: "Dog"), .not(name)])
    #expect(
      QueryExpression.and([either, name]).description == "($0 is Dog || !$0.name) && $0.name"
    )
    #expect(QueryExpression.not(either).description == "!($0 is Dog || !$0.name)")
    #expect(QueryExpression.negate(sum, .int64).description == "-($0.age + 1)")
    let fallback = QueryExpression.coalesce(.coalesce(age, age), number(0))
    #expect(fallback.description == "($0.age ?? $0.age) ?? 0")
    let choice = QueryExpression.conditional(either, then: age, else: fallback)
    #expect(choice.description == "$0 is Dog || !$0.name ? $0.age : ($0.age ?? $0.age) ?? 0")
  }

  @Test func `describes every kind of node`() {
    let list = QueryExpression.property(.element(0), "words")
    let text = QueryExpression.constant(.string("a"))
    let one = number(1)
    let cases: [(QueryExpression, String)] = [
      (
        .constant(.array((0..<12).map { .integer($0) })), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … 2 more]"
      ),
      (.map(name, variable: 1, body: .property(.element(1), "count")), "$0.name?.count"),
      (.map(age, variable: 1, body: .negate(.element(1), .int64)), "$0.age.flatMap { -$1 }"),
      (.unwrap(age), "$0.age!"), (.contains(list, text), #"$0.words.contains("a")"#),
      (.isInRange(age, lower: one, upper: age, closed: true), "(1...$0.age).contains($0.age)"),
      (.isInRange(age, lower: one, upper: age, closed: false), "(1..<$0.age).contains($0.age)"),
      (.quantified(.every, list, variable: 1, .element(1)), "$0.words.allSatisfy { $1 }"),
      (.aggregate(.count, .filter(list, variable: 1, .element(1))), "$0.words.filter { $1 }.count"),
      (.aggregate(.minimum, list), "$0.words.min()"), (.subscripted(list, one), "$0.words[1]"),
      (.text(.startsWith, name, text), #"$0.name.starts(with: "a")"#),
      (.text(.localizedStandardContains, name, text), #"$0.name.localizedStandardContains("a")"#),
      (.matches(name, SamplePatterns.pattern("a+")), "$0.name.contains(/a+/)"),
      (.searches(name, TextSearch("sea")), #"$0.name.contains(TextSearch("sea"))"#),
      (.property(.cast(.element(0), entity: "Dog"), "breed"), "($0 as? Dog).breed"),
      (.and([]), "true"), (.or([]), "false"), (.constant(.null), "nil"),
    ]
    for (expression, expected) in cases { #expect(expression.description == expected) }
  }
}
