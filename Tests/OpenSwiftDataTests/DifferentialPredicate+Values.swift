import Foundation
import OpenSwiftData
import StoreTestSupport

extension DifferentialPredicate {
  /// A test of a text.
  mutating func text() -> Truth {
    let name = path(\.name)
    let part = P.Value(random.pick(Self.texts))
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return P.CollectionContainsCollection(base: name, other: part)
    case 1: return P.SequenceStartsWith(base: name, prefix: part)
    case 2: return P.build_localizedStandardContains(name, part)
    case 3:
      let title = P.build_NilCoalesce(lhs: path(\.title), rhs: P.Value("none"))
      return P.CollectionContainsCollection(base: title, other: part)
    case 4: return P.KeyPath(root: name, keyPath: \String.isEmpty)
    case 5:
      return P.Equal(
        lhs: P.KeyPath(root: name, keyPath: \String.count),
        rhs: P.Value(Int.random(in: 0...3, using: &random))
      )
    default:
      return P.NotEqual(lhs: P.build_ForcedUnwrap(path(\.title)), rhs: part)
    }
  }

  /// A question to the members of a structured value.
  mutating func structured() -> Truth {
    let city = random.pick(["Rome", "Oslo", "\u{E9}"])
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      return P.Equal(
        lhs: P.KeyPath(root: path(\.place), keyPath: \RelicPlace.city),
        rhs: P.Value(city)
      )
    case 1:
      return P.Equal(
        lhs: P.build_flatMap(path(\.home)) { P.KeyPath(root: $0, keyPath: \RelicPlace.zip) },
        rhs: P.Value(random.pick([nil, 1, 2]))
      )
    case 2:
      return P.Comparison(
        lhs: P.KeyPath(root: path(\.place), keyPath: \RelicPlace.latitude),
        rhs: P.Value(random.pick([0, -0.0, 1])),
        op: random.pick([.lessThan, .greaterThanOrEqual])
      )
    default:
      return P.NotEqual(
        lhs: P.build_flatMap(path(\.home)) { P.KeyPath(root: $0, keyPath: \RelicPlace.city) },
        rhs: P.Value(random.pick([nil, city]))
      )
    }
  }

  /// A question to a function of a value.
  mutating func function() -> Truth {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      return P.KeyPath(
        root: path(\.price),
        keyPath: random.pick([\Double.isNaN, \Double.isFinite, \Double.isInfinite])
      )
    case 1: return P.KeyPath(root: path(\.ratio), keyPath: \Float.isNaN)
    case 2:
      return P.Comparison(
        lhs: P.KeyPath(root: path(\.made), keyPath: \Date.timeIntervalSinceReferenceDate),
        rhs: P.Value(random.pick([0, -0.0, 1, -1e9])),
        op: random.pick([.lessThan, .greaterThanOrEqual])
      )
    case 3:
      return P.Comparison(
        lhs: P.KeyPath(root: path(\.count), keyPath: \Int.magnitude),
        rhs: P.Value(random.pick([0, 1, 2, UInt(Int.max), UInt(Int.max) + 1])),
        op: random.pick([.lessThan, .lessThanOrEqual, .greaterThan])
      )
    case 4:
      let string = P.KeyPath(root: path(\.key), keyPath: \UUID.uuidString)
      return P.Equal(lhs: string, rhs: P.Value(random.pick(Self.keys).uuidString))
    default:
      return P.Equal(
        lhs: P.build_flatMap(path(\.seen)) {
          P.KeyPath(root: $0, keyPath: \Date.timeIntervalSince1970)
        },
        rhs: P.Value(random.pick([nil] + HardValues.dates.map(\.timeIntervalSince1970)))
      )
    }
  }

  /// A question to a list or dictionary of values.
  mutating func list() -> Truth {
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      return P.SequenceContains(
        sequence: path(\.words),
        element: P.Value(random.pick(Self.texts))
      )
    case 1:
      let floor = P.Value(random.pick([0, 1, 2]))
      return P.build_allSatisfy(path(\.numbers)) {
        P.Comparison(lhs: $0, rhs: floor, op: .greaterThan)
      }
    case 2:
      return P.Equal(
        lhs: P.build_subscript(path(\.counts), P.Value(random.pick(["a", "e\u{301}", "b"]))),
        rhs: P.Value(random.pick([nil, 1, 3]))
      )
    case 3:
      return P.Equal(
        lhs: P.build_max(path(\.numbers)),
        rhs: P.Value(random.pick([nil, 1, 3, .max]))
      )
    default:
      let part = P.Value(random.pick(Self.texts))
      return P.build_contains(path(\.words)) {
        P.CollectionContainsCollection(base: $0, other: part)
      }
    }
  }

  /// A comparison of computed numbers, which may overflow.
  mutating func numbers(depth: Int) -> Truth {
    Self.ordered(whole(depth: depth), whole(depth: 0), &random)
  }

  private static func ordered(
    _ lhs: some StandardPredicateExpression<Int>,
    _ rhs: some StandardPredicateExpression<Int>,
    _ random: inout SeededGenerator
  ) -> Truth {
    random.pick([true, false])
      ? P.Comparison(lhs: lhs, rhs: rhs, op: .lessThan) : P.Equal(lhs: lhs, rhs: rhs)
  }

  private mutating func whole(depth: Int) -> Whole {
    switch depth <= 0 ? 9 : Int.random(in: 0..<11, using: &random) {
    case 0...2: return Self.sum(whole(depth: depth - 1), whole(depth: depth - 1), &random)
    case 3: return Self.quotient(whole(depth: depth - 1), whole(depth: depth - 1))
    case 4: return Self.remainder(whole(depth: depth - 1), whole(depth: depth - 1))
    case 5: return Self.negative(whole(depth: depth - 1))
    case 6: return Self.choice(truth(depth: 0), whole(depth: depth - 1), whole(depth: depth - 1))
    case 7: return P.build_NilCoalesce(lhs: path(\.rank), rhs: path(\.count))
    case 8: return P.KeyPath(root: path(\.numbers), keyPath: \[Int].count)
    case 9: return P.Value(random.pick(Self.integers))
    default: return path(\.count)
    }
  }

  private static func sum(
    _ lhs: some StandardPredicateExpression<Int>,
    _ rhs: some StandardPredicateExpression<Int>,
    _ random: inout SeededGenerator
  ) -> Whole {
    P.Arithmetic(lhs: lhs, rhs: rhs, op: random.pick([.add, .subtract, .multiply]))
  }

  private static func quotient(
    _ lhs: some StandardPredicateExpression<Int>,
    _ rhs: some StandardPredicateExpression<Int>
  ) -> Whole { P.IntDivision(lhs: lhs, rhs: rhs) }

  private static func remainder(
    _ lhs: some StandardPredicateExpression<Int>,
    _ rhs: some StandardPredicateExpression<Int>
  ) -> Whole { P.IntRemainder(lhs: lhs, rhs: rhs) }

  private static func negative(_ number: some StandardPredicateExpression<Int>) -> Whole {
    P.UnaryMinus(number)
  }

  private static func choice(
    _ test: some StandardPredicateExpression<Bool>,
    _ first: some StandardPredicateExpression<Int>,
    _ second: some StandardPredicateExpression<Int>
  ) -> Whole { P.Conditional(test: test, trueBranch: first, falseBranch: second) }
}
