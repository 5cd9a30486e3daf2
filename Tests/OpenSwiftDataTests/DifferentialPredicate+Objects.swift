import Foundation
import OpenSwiftData

extension DifferentialPredicate {
  /// A question to related objects.
  mutating func related() -> Truth {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: toOne()
    case 1: kind()
    case 2: counted()
    default: quantified()
    }
  }

  private mutating func toOne() -> Truth {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return P.Equal(lhs: path(\.keeper), rhs: P.build_NilLiteral())
    case 1:
      return P.Equal(
        lhs: P.build_flatMap(path(\.keeper)) { P.KeyPath(root: $0, keyPath: \RelicKeeper.name) },
        rhs: P.Value(random.pick([nil] + Self.texts))
      )
    case 2:
      return P.NotEqual(
        lhs: P.build_flatMap(path(\.whole)) { whole in
          P.build_flatMap(P.KeyPath(root: whole, keyPath: \Relic.keeper)) {
            P.KeyPath(root: $0, keyPath: \RelicKeeper.age)
          }
        },
        rhs: P.Value(random.pick([nil, 0, 40]))
      )
    default:
      return P.Comparison(
        lhs: P.KeyPath(root: P.build_ForcedUnwrap(path(\.whole)), keyPath: \Relic.price),
        rhs: path(\.price),
        op: random.pick([.lessThan, .greaterThanOrEqual])
      )
    }
  }

  private mutating func kind() -> Truth {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return P.TypeCheck<Variable, Vase>(relic)
    case 1:
      return P.Equal(
        lhs: P.build_flatMap(P.ConditionalCast<Variable, Vase>(relic)) {
          P.KeyPath(root: $0, keyPath: \Vase.clay)
        },
        rhs: P.Value(random.pick([nil] + Self.texts))
      )
    default:
      return P.build_contains(path(\.parts)) { P.TypeCheck<P.Variable<Relic>, Vase>($0) }
    }
  }

  private mutating func counted() -> Truth {
    let count = P.Value(Int.random(in: 0...3, using: &random))
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      let shown = P.build_filter(path(\.parts)) { P.KeyPath(root: $0, keyPath: \Relic.isShown) }
      return P.Equal(lhs: P.KeyPath(root: shown, keyPath: \[Relic].count), rhs: count)
    case 1: return P.KeyPath(root: path(\.makers), keyPath: \[RelicKeeper].isEmpty)
    default:
      return P.Comparison(
        lhs: P.KeyPath(root: path(\.makers), keyPath: \[RelicKeeper].count),
        rhs: count,
        op: .greaterThan
      )
    }
  }

  // The node makes its own variable, and what is made with it must have a type that is known
  // before: the conditions inside are comparisons whose values are random.
  private mutating func quantified() -> Truth {
    let (parts, makers) = (path(\.parts), path(\.makers))
    let (name, price) = (path(\.name), path(\.price))
    let text = P.Value(random.pick(Self.composed))
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      return P.build_contains(parts) {
        P.Comparison(lhs: P.KeyPath(root: $0, keyPath: \Relic.price), rhs: price, op: .lessThan)
      }
    case 1:
      return P.build_allSatisfy(parts) {
        P.Comparison(lhs: P.KeyPath(root: $0, keyPath: \Relic.name), rhs: text, op: .greaterThan)
      }
    case 2:
      return P.build_contains(makers) { maker in
        P.build_contains(P.KeyPath(root: maker, keyPath: \RelicKeeper.relics)) { other in
          P.Conjunction(
            lhs: P.Equal(lhs: P.KeyPath(root: other, keyPath: \Relic.name), rhs: name),
            rhs: P.Equal(
              lhs: P.KeyPath(root: other, keyPath: \Relic.keeper),
              rhs: P.build_NilLiteral()
            )
          )
        }
      }
    case 3:
      return P.build_allSatisfy(makers) { maker in
        P.Disjunction(
          lhs: P.Equal(
            lhs: P.KeyPath(root: maker, keyPath: \RelicKeeper.mentor),
            rhs: P.build_NilLiteral()
          ),
          rhs: P.build_contains(P.KeyPath(root: maker, keyPath: \RelicKeeper.students)) {
            P.Comparison(
              lhs: P.KeyPath(root: $0, keyPath: \RelicKeeper.name),
              rhs: text,
              op: .lessThan
            )
          }
        )
      }
    default:
      return P.SequenceContains(
        sequence: parts,
        element: P.build_NilCoalesce(lhs: path(\.whole), rhs: relic)
      )
    }
  }
}
