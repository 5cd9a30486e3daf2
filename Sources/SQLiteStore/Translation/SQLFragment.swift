/// A piece of SQL with the values that its parameters take, in order.
///
/// A condition under a `NOT` is true or false and never null, whatever it reads: SQL's third truth
/// value would survive the `NOT`. Elsewhere null counts as false.
struct SQLFragment: Hashable, Sendable {
  var text: String
  var values: [SQLValue]

  init(_ text: String, _ values: [SQLValue] = []) {
    self.text = text
    self.values = values
  }

  static let always = SQLFragment("1")
  static let never = SQLFragment("0")

  /// The opposite condition.
  static prefix func ! (fragment: SQLFragment) -> SQLFragment {
    switch fragment {
    case .always: .never
    case .never: .always
    default: SQLFragment("NOT (\(fragment.text))", fragment.values)
    }
  }

  /// Several conditions as one.
  ///
  /// Up to a length that is far from SQLite's limit on depth they stand in one flat list, in which
  /// the planner finds its indexes; longer ones are split into halves, since a flat list of *n* is
  /// a tree of depth *n* to SQLite.
  static func joined(_ fragments: [SQLFragment], by word: String) -> SQLFragment {
    guard fragments.count > 100 else { return flat(fragments, by: word) }
    let half = fragments.count / 2
    return flat(
      [joined(Array(fragments[..<half]), by: word), joined(Array(fragments[half...]), by: word)],
      by: word
    )
  }

  private static func flat(_ fragments: [SQLFragment], by word: String) -> SQLFragment {
    guard fragments.count != 1 else { return fragments[0] }
    return SQLFragment(
      fragments.map { "(\($0.text))" }.joined(separator: " \(word) "),
      fragments.flatMap(\.values)
    )
  }
}
