import Foundation
import StoreProtocol

/// Makes random predicates over books out of Foundation's nodes.
///
/// Whatever Swift would trap on is left out: there is nothing to compare with.
struct RandomPredicate {
  typealias Variable = PredicateExpressions.Variable<Book>
  typealias Truth = any StandardPredicateExpression<Bool>

  private var random: SeededGenerator
  private let book: Variable

  /// Returns the predicate of a seed.
  static func make(seed: UInt64) -> Predicate<Book> {
    Predicate { book in
      var maker = RandomPredicate(random: SeededGenerator(seed: seed), book: book)
      return maker.truth(depth: 3)
    }
  }

  private mutating func truth(depth: Int) -> Truth {
    switch depth == 0 ? 9 : Int.random(in: 0..<9, using: &random) {
    case 0, 1: Self.and(truth(depth: depth - 1), truth(depth: depth - 1))
    case 2, 3: Self.or(truth(depth: depth - 1), truth(depth: depth - 1))
    case 4: Self.not(truth(depth: depth - 1))
    case 5:
      Self.choose(
        truth(depth: depth - 1),
        truth(depth: depth - 1),
        truth(depth: depth - 1)
      )
    case 6: quantified(depth: depth - 1)
    default: leaf()
    }
  }

  private static func and<
    L: StandardPredicateExpression<Bool>,
    R: StandardPredicateExpression<Bool>
  >(
    _ lhs: L,
    _ rhs: R
  ) -> Truth { PredicateExpressions.Conjunction(lhs: lhs, rhs: rhs) }

  private static func or<
    L: StandardPredicateExpression<Bool>,
    R: StandardPredicateExpression<Bool>
  >(
    _ lhs: L,
    _ rhs: R
  ) -> Truth { PredicateExpressions.Disjunction(lhs: lhs, rhs: rhs) }

  private static func not<T: StandardPredicateExpression<Bool>>(_ truth: T) -> Truth {
    PredicateExpressions.Negation(truth)
  }

  private static func choose<
    T: StandardPredicateExpression<Bool>,
    A: StandardPredicateExpression<Bool>,
    B: StandardPredicateExpression<Bool>
  >(_ test: T, _ first: A, _ second: B) -> Truth {
    PredicateExpressions.Conditional(test: test, trueBranch: first, falseBranch: second)
  }

  // The node makes its own variable, and what is made with it must have a type known before: the
  // condition inside is a comparison whose values are random.
  private mutating func quantified(depth: Int) -> Truth {
    let related = PredicateExpressions.KeyPath(root: book, keyPath: \Book.related)
    let outer = PredicateExpressions.KeyPath(root: book, keyPath: \Book.pages)
    let title = PredicateExpressions.Value(random.pick(HardValues.texts))
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      return PredicateExpressions.build_contains(related) { other in
        PredicateExpressions.Comparison(
          lhs: PredicateExpressions.KeyPath(root: other, keyPath: \Book.pages),
          rhs: outer,
          op: .lessThan
        )
      }
    case 1:
      return PredicateExpressions.build_allSatisfy(related) { other in
        PredicateExpressions.Comparison(
          lhs: PredicateExpressions.KeyPath(root: other, keyPath: \Book.title),
          rhs: title,
          op: .greaterThan
        )
      }
    case 2:
      let filtered = PredicateExpressions.build_filter(related) { other in
        PredicateExpressions.KeyPath(root: other, keyPath: \Book.isOut)
      }
      return PredicateExpressions.Equal(
        lhs: PredicateExpressions.KeyPath(root: filtered, keyPath: \[Book].count),
        rhs: PredicateExpressions.Value(Int.random(in: 0...3, using: &random))
      )
    default:
      return PredicateExpressions.Equal(
        lhs: PredicateExpressions.build_flatMap(
          PredicateExpressions.KeyPath(root: book, keyPath: \Book.author)
        ) { PredicateExpressions.KeyPath(root: $0, keyPath: \Author.name) },
        rhs: PredicateExpressions.Value(random.pick([nil] + HardValues.texts))
      )
    }
  }

  private mutating func leaf() -> Truth {
    switch Int.random(in: 0..<16, using: &random) {
    case 0: compare(\.pages, HardValues.integers)
    case 1: compare(\.price, HardValues.doubles)
    case 2: compare(\.title, HardValues.texts)
    case 3: compare(\.printed, HardValues.dates)
    case 4: compare(\.cost, HardValues.decimals)
    case 5: compare(\.big, HardValues.unsigned)
    case 6: compare(\.small, [Int8.min, -1, 0, 1, .max])
    case 7: compare(\.ratio, [0, -0.0, 0.1, Float.nan, 3])
    case 8: equal(\.year, [nil] + HardValues.integers)
    case 9: equal(\.subtitle, [nil] + HardValues.texts)
    case 10: equal(\.data, HardValues.bytes)
    case 11: contains(\.title, HardValues.texts)
    case 12: contains(\.pages, HardValues.integers)
    case 13: contains(\.subtitle, [nil] + HardValues.texts)
    case 14: text()
    default: PredicateExpressions.KeyPath(root: book, keyPath: \Book.isOut)
    }
  }

  private mutating func compare<V: Comparable & Codable & Sendable>(
    _ keyPath: KeyPath<Book, V> & Sendable,
    _ values: [V]
  ) -> Truth {
    let property = PredicateExpressions.KeyPath(root: book, keyPath: keyPath)
    let value = PredicateExpressions.Value(random.pick(values))
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return PredicateExpressions.Equal(lhs: property, rhs: value)
    case 1: return PredicateExpressions.NotEqual(lhs: value, rhs: property)
    case 2: return PredicateExpressions.Comparison(lhs: property, rhs: value, op: .lessThan)
    case 3: return PredicateExpressions.Comparison(lhs: value, rhs: property, op: .lessThan)
    case 4: return PredicateExpressions.Comparison(lhs: property, rhs: value, op: .lessThanOrEqual)
    case 5: return PredicateExpressions.Comparison(lhs: property, rhs: value, op: .greaterThan)
    case 6:
      return PredicateExpressions.Comparison(lhs: value, rhs: property, op: .greaterThanOrEqual)
    default:
      let ends = [random.pick(values), random.pick(values)].sorted()
      guard ends[0] <= ends[1] else {
        return PredicateExpressions.Equal(lhs: property, rhs: property)
      }
      return PredicateExpressions.RangeExpressionContains(
        range: PredicateExpressions.Value(ends[0]...ends[1]),
        element: property
      )
    }
  }

  private mutating func equal<V: Equatable & Codable & Sendable>(
    _ keyPath: KeyPath<Book, V> & Sendable,
    _ values: [V]
  ) -> Truth {
    let property = PredicateExpressions.KeyPath(root: book, keyPath: keyPath)
    let value = PredicateExpressions.Value(random.pick(values))
    return Bool.random(using: &random)
      ? PredicateExpressions.Equal(lhs: property, rhs: value)
      : PredicateExpressions.NotEqual(lhs: property, rhs: value)
  }

  private mutating func contains<V: Equatable & Codable & Sendable>(
    _ keyPath: KeyPath<Book, V> & Sendable,
    _ values: [V]
  ) -> Truth {
    let count = Int.random(in: 0...12, using: &random)
    let list = (0..<count).map { _ in random.pick(values) }
    return PredicateExpressions.SequenceContains(
      sequence: PredicateExpressions.Value(list),
      element: PredicateExpressions.KeyPath(root: book, keyPath: keyPath)
    )
  }

  private mutating func text() -> Truth {
    let title = PredicateExpressions.KeyPath(root: book, keyPath: \Book.title)
    let part = PredicateExpressions.Value(random.pick(HardValues.texts))
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return PredicateExpressions.CollectionContainsCollection(base: title, other: part)
    case 1: return PredicateExpressions.SequenceStartsWith(base: title, prefix: part)
    default: return PredicateExpressions.build_localizedStandardContains(title, part)
    }
  }
}
