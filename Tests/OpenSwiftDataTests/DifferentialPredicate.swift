import Foundation
import OpenSwiftData
import StoreTestSupport

/// Makes random predicates over relics out of Foundation's nodes.
///
/// The type of a predicate's tree is part of Foundation's nodes, so that trees are put together by
/// generic functions that are opened at run time; what stands within a closure has a few fixed
/// forms with random values.
struct DifferentialPredicate {
  typealias Variable = PredicateExpressions.Variable<Relic>
  typealias Truth = any StandardPredicateExpression<Bool>
  typealias Whole = any StandardPredicateExpression<Int>
  typealias P = PredicateExpressions

  static let texts = HardValues.strings + ["a", "ab", "A", "rome beach", "Rome"]
  /// Texts that `<` orders: where one is not composed, Swift's `<` has holes, and stores have none.
  static let composed = texts.map(\.precomposedStringWithCanonicalMapping)
  static let integers = [0, 1, -1, 2, 7, .min, .max, .max - 1, 1 << 53, (1 << 53) + 1]
  static let floats: [Float] = [0, -0.0, 0.1, .nan, .infinity, 3]
  static let bytes = [Data(), Data([0]), Data([1, 2, 3]), Data([255, 0])]
  static let keys = ([0, 1, 200] as [UInt8]).map {
    UUID(uuid: ($0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))
  }

  var random: SeededGenerator
  let relic: Variable

  /// Returns the predicate of a seed.
  static func make(seed: UInt64) -> Predicate<Relic> {
    Predicate { relic in
      var maker = DifferentialPredicate(random: SeededGenerator(seed: seed), relic: relic)
      return maker.truth(depth: 3)
    }
  }

  /// Returns a fetch of the relics that a predicate holds for, in a random order and window.
  static func descriptor(seed: UInt64) -> FetchDescriptor<Relic> {
    var random = SeededGenerator(seed: ~seed)
    var descriptor = FetchDescriptor(predicate: make(seed: seed))
    descriptor.sortBy = (0..<random.pick([0, 1, 2])).map { _ in term(&random) }
    if random.pick([true, false]) { descriptor.fetchOffset = random.pick([0, 1, 3, 100]) }
    if random.pick([true, false]) { descriptor.fetchLimit = random.pick([0, 1, 5, 100]) }
    return descriptor
  }

  private static func term(_ random: inout SeededGenerator) -> SortDescriptor<Relic> {
    let order = random.pick([SortOrder.forward, .reverse])
    return random.pick([
      SortDescriptor(\.name, order: order), SortDescriptor(\.title, order: order),
      SortDescriptor(\.rank, order: order), SortDescriptor(\.price, order: order),
      SortDescriptor(\.made, order: order), SortDescriptor(\.cost, order: order),
      SortDescriptor(\.keeper?.name, order: order), SortDescriptor(\.whole?.count, order: order),
      SortDescriptor(\.place.city, order: order), SortDescriptor(\.big, order: order),
    ])
  }

  mutating func truth(depth: Int) -> Truth {
    switch depth == 0 ? 9 : Int.random(in: 0..<10, using: &random) {
    case 0, 1: Self.and(truth(depth: depth - 1), truth(depth: depth - 1))
    case 2, 3: Self.or(truth(depth: depth - 1), truth(depth: depth - 1))
    case 4: Self.not(truth(depth: depth - 1))
    case 5:
      Self.choose(
        truth(depth: depth - 1),
        truth(depth: depth - 1),
        truth(depth: depth - 1)
      )
    case 6: related()
    case 7: numbers(depth: depth - 1)
    default: leaf()
    }
  }

  private static func and(
    _ lhs: some StandardPredicateExpression<Bool>,
    _ rhs: some StandardPredicateExpression<Bool>
  ) -> Truth { P.Conjunction(lhs: lhs, rhs: rhs) }

  private static func or(
    _ lhs: some StandardPredicateExpression<Bool>,
    _ rhs: some StandardPredicateExpression<Bool>
  ) -> Truth { P.Disjunction(lhs: lhs, rhs: rhs) }

  static func not(_ truth: some StandardPredicateExpression<Bool>) -> Truth { P.Negation(truth) }

  private static func choose(
    _ test: some StandardPredicateExpression<Bool>,
    _ first: some StandardPredicateExpression<Bool>,
    _ second: some StandardPredicateExpression<Bool>
  ) -> Truth { P.Conditional(test: test, trueBranch: first, falseBranch: second) }

  /// A property of the relic.
  func path<V>(_ keyPath: KeyPath<Relic, V> & Sendable) -> P.KeyPath<Variable, V> {
    P.KeyPath(root: relic, keyPath: keyPath)
  }

  private mutating func leaf() -> Truth {
    switch Int.random(in: 0..<24, using: &random) {
    case 0: compare(\.count, Self.integers)
    case 1: compare(\.price, HardValues.doubles)
    case 2: compare(\.name, Self.composed)
    case 3: compare(\.made, HardValues.dates)
    case 4: compare(\.cost, HardValues.decimals)
    case 5: compare(\.big, HardValues.unsignedIntegers)
    case 6: compare(\.small, [Int8.min, -1, 0, 1, .max])
    case 7: compare(\.ratio, Self.floats)
    case 8: equal(\.rank, [nil] + Self.integers)
    case 9: equal(\.title, [nil] + Self.texts)
    case 10: equal(\.bytes, Self.bytes)
    case 11: equal(\.kind, RelicKind.allCases)
    case 12: equal(\.other, [nil] + RelicKind.allCases)
    case 13: equal(\.seen, [nil] + HardValues.dates)
    case 14: contains(\.name, Self.texts)
    case 15: contains(\.count, Self.integers)
    case 16: contains(\.title, [nil] + Self.texts)
    case 17: contains(\.key, Self.keys)
    case 18: text()
    case 19: structured()
    case 20: list()
    case 21, 22: function()
    default: path(\.isShown)
    }
  }

  private mutating func compare<V: Comparable & Codable & Sendable>(
    _ keyPath: KeyPath<Relic, V> & Sendable,
    _ values: [V]
  ) -> Truth {
    let property = path(keyPath)
    let value = P.Value(random.pick(values))
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return P.Equal(lhs: property, rhs: value)
    case 1: return P.NotEqual(lhs: value, rhs: property)
    case 2: return P.Comparison(lhs: property, rhs: value, op: .lessThan)
    case 3: return P.Comparison(lhs: value, rhs: property, op: .lessThan)
    case 4: return P.Comparison(lhs: property, rhs: value, op: .lessThanOrEqual)
    case 5: return P.Comparison(lhs: property, rhs: value, op: .greaterThan)
    case 6: return P.Comparison(lhs: value, rhs: property, op: .greaterThanOrEqual)
    default: return range(property, values)
    }
  }

  private mutating func range<V: Comparable & Codable & Sendable>(
    _ property: P.KeyPath<Variable, V>,
    _ values: [V]
  ) -> Truth {
    let ends = [random.pick(values), random.pick(values)].sorted()
    // NaN is no end of a range.
    guard ends[0] <= ends[1] else { return P.Equal(lhs: property, rhs: property) }
    return random.pick([true, false])
      ? P.RangeExpressionContains(range: P.Value(ends[0]...ends[1]), element: property)
      : P.RangeExpressionContains(range: P.Value(ends[0]..<ends[1]), element: property)
  }

  mutating func equal<V: Equatable & Codable & Sendable>(
    _ keyPath: KeyPath<Relic, V> & Sendable,
    _ values: [V]
  ) -> Truth {
    let property = path(keyPath)
    let value = P.Value(random.pick(values))
    return random.pick([true, false])
      ? P.Equal(lhs: property, rhs: value) : P.NotEqual(lhs: property, rhs: value)
  }

  private mutating func contains<V: Equatable & Codable & Sendable>(
    _ keyPath: KeyPath<Relic, V> & Sendable,
    _ values: [V]
  ) -> Truth {
    let list = (0..<random.pick([0, 1, 3, 12])).map { _ in random.pick(values) }
    return P.SequenceContains(sequence: P.Value(list), element: path(keyPath))
  }
}
