import Foundation
import StoreProtocol
import Testing

@Suite("The evaluator")
struct NodeSemanticsTests {
  private let one = StoreValue.integer(1)
  private let list = StoreValue.array([.integer(3), .integer(1), .integer(2)])

  @Test func `evaluates optionals`() throws {
    let coalesce = QueryExpression.coalesce(.value, .other)
    #expect(try EvaluatorSample.value(coalesce, .null, one) == one)
    #expect(try EvaluatorSample.value(coalesce, .bool(false), one) == .bool(false))
    let map = QueryExpression.map(
      .value,
      variable: 1,
      body: .arithmetic(.add, .element(1), .constant(one), .int64)
    )
    #expect(try EvaluatorSample.value(map) == .null)
    #expect(try EvaluatorSample.value(map, one) == .integer(2))
    let unwrap = QueryExpression.compare(.notEqual, .unwrap(.value), .constant(one))
    #expect(try !EvaluatorSample.holds(unwrap))
    #expect(try !EvaluatorSample.holds(.not(unwrap)))
    #expect(try EvaluatorSample.holds(unwrap, .integer(2)))
  }

  @Test func `evaluates conditions`() throws {
    let choice = QueryExpression.conditional(.value, then: .other, else: .constant(one))
    #expect(try EvaluatorSample.value(choice, .bool(true), .string("x")) == .string("x"))
    #expect(try EvaluatorSample.value(choice, .bool(false), .string("x")) == one)
    #expect(try !EvaluatorSample.holds(.value))
    #expect(try !EvaluatorSample.holds(.not(.value)), "nil is not a Boolean")
    #expect(try EvaluatorSample.holds(.and([])))
    #expect(try !EvaluatorSample.holds(.or([])))
    let several = QueryExpression.or([.value, .other, .not(.value)])
    #expect(try EvaluatorSample.holds(several, .bool(false), .bool(false)))
  }

  @Test func `computes aggregates of lists, strings and data`() throws {
    let cases: [(QueryExpression.Aggregate, StoreValue, StoreValue)] = [
      (.count, list, .integer(3)), (.isEmpty, list, .bool(false)), (.first, list, .integer(3)),
      (.last, list, .integer(2)), (.minimum, list, .integer(1)), (.maximum, list, .integer(3)),
      (.count, .array([]), .integer(0)), (.first, .array([]), .null), (.maximum, .array([]), .null),
      (.count, .string("e\u{301}\r\n"), .integer(2)), (.isEmpty, .string(""), .bool(true)),
      (.first, .string("e\u{301}x"), .string("e\u{301}")), (.last, .string(""), .null),
      (.count, .data(Data([1, 2])), .integer(2)), (.maximum, .data(Data([1, 2])), .integer(2)),
      (.count, .composite([.init("a", .null)]), .integer(1)), (.count, .null, .null),
      (.minimum, .array([.double(.nan), .double(1)]), .double(.nan)),
      (.minimum, .array([.double(1), .double(.nan)]), .double(1)),
    ]
    for (aggregate, value, result) in cases {
      #expect(try EvaluatorSample.value(.aggregate(aggregate, .value), value) == result)
    }
  }

  @Test func `reads elements by index and by key`() throws {
    let at = QueryExpression.subscripted(.value, .other)
    #expect(try EvaluatorSample.value(at, list, .integer(2)) == .integer(2))
    #expect(try EvaluatorSample.value(at, list, .integer(3)) == .null)
    #expect(try !EvaluatorSample.holds(.compare(.equal, at, .constant(.null)), list, .integer(3)))
    #expect(try EvaluatorSample.value(at, list, .integer(-1)) == .null)
    let dictionary = StoreValue.composite([.init("a", one), .init("7", .bool(true))])
    #expect(try EvaluatorSample.value(at, dictionary, .string("a")) == one)
    #expect(try EvaluatorSample.value(at, dictionary, .integer(7)) == .bool(true))
    #expect(try EvaluatorSample.value(at, dictionary, .string("b")) == .null)
  }

  @Test func `tests membership in short, long and mixed lists`() throws {
    let many = (0..<50).map { StoreValue.integer($0) }
    let mixed =
      many + HardValues.texts.map(StoreValue.string) + [.null, .double(.nan), .decimal(7.5)]
    for elements in [[], [one], many, mixed, mixed.filter { !$0.isEqual(to: .decimal(7.5)) }] {
      for candidate in mixed + [.double(3), .string("e\u{301}"), .integer(99), .bool(true)] {
        let expected = elements.contains { $0.isEqual(to: candidate) }
        let test = QueryExpression.contains(.constant(.array(elements)), .value)
        #expect(try EvaluatorSample.holds(test, candidate) == expected)
        let turned = QueryExpression.contains(.other, .value)
        #expect(try EvaluatorSample.holds(turned, candidate, .array(elements)) == expected)
      }
    }
  }

  @Test func `matches nothing for an inverted range`() throws {
    func holds(_ lower: StoreValue, _ upper: StoreValue, closed: Bool = true) throws -> Bool {
      let test = QueryExpression.isInRange(
        .value,
        lower: .constant(lower),
        upper: .constant(upper),
        closed: closed
      )
      return try EvaluatorSample.holds(.or([test, .not(test)]), one)
    }
    #expect(try holds(.integer(0), .integer(1)))
    #expect(try holds(.integer(1), .integer(1), closed: false))
    #expect(try !holds(.integer(2), .integer(1)))
    #expect(try !holds(.double(.nan), .double(1)))
  }

  @Test func `tests strings and sequences`() throws {
    let cases: [(QueryExpression.TextTest, StoreValue, StoreValue, Bool)] = [
      (.contains, .string("e\u{301}"), .string("e"), false),
      (.contains, .string("xe\u{301}"), .string("\u{E9}"), true),
      (.contains, .string(""), .string(""), true),
      (.contains, .string("a\0b"), .string("\0b"), true),
      (.startsWith, .string("e\u{301}a"), .string("e"), false),
      (.startsWith, .string("abc"), .string("ab"), true),
      (.startsWith, list, .array([.integer(3)]), true),
      (.contains, list, .array([.integer(1), .integer(2)]), true),
      (.contains, list, .array([.integer(3), .integer(2)]), false),
      (.contains, .array([]), .array([]), true),
      (.localizedStandardContains, .string("R\u{E9}sum\u{E9}"), .string("RESUME"), true),
      (.localizedStandardContains, .string("stra\u{DF}e"), .string("STRASSE"), true),
      (.localizedStandardContains, .string("abc"), .string("abd"), false),
    ]
    for (test, text, part, result) in cases {
      #expect(try EvaluatorSample.holds(.text(test, .value, .other), text, part) == result)
    }
    let insensitive = QueryExpression.text(.caseInsensitiveCompare, .value, .other)
    #expect(try EvaluatorSample.value(insensitive, .string("B"), .string("a")) == one)
    #expect(try EvaluatorSample.value(insensitive, .string("A"), .string("a")) == .integer(0))
    let localized = QueryExpression.text(.localizedCompare, .value, .other)
    #expect(try EvaluatorSample.value(localized, .string("\u{E4}"), .string("b")) == .integer(-1))
    let pattern = QueryPattern(source: "a+") { $0.contains("aa") }
    #expect(try EvaluatorSample.holds(.matches(.value, pattern), .string("baab")))
  }

  @Test func `reads components of composites`() throws {
    let address = StoreValue.composite([.init("place", .composite([.init("x", one)]))])
    let path = QueryExpression.property(.property(.value, "place"), "x")
    #expect(try EvaluatorSample.value(path, address) == one)
    #expect(try EvaluatorSample.value(.property(.value, "none"), address) == .null)
    #expect(try EvaluatorSample.value(path, .null) == .null)
  }
}
