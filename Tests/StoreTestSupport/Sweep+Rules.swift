import StoreConformance

extension Sweep {
  /// Rules with random programs, very large saves or very long lists, each of which takes as long as
  /// many others.
  private static func isLong(_ rule: Rule) -> Bool {
    rule.id.hasPrefix("RANDOM") || ["LIMIT-008", "LIMIT-009", "LIMIT-010"].contains(rule.id)
  }

  /// Returns rules for a store: all, or those that take no seconds and two of the others.
  ///
  /// - Parameters:
  ///   - all: The rules.
  ///   - turn: A number of the store. Stores with different ones have different rules.
  /// - Returns: The rules.
  public static func rules(_ all: [Rule], turn: Int) -> [Rule] {
    all.filter { !isLong($0) } + part(all.filter(isLong), of: 2, turn: turn)
  }
}
