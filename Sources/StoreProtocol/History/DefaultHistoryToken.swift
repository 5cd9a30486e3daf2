/// A position in the histories of some stores: the number of the last transaction of each.
public struct DefaultHistoryToken: HistoryToken {
  /// The number of a transaction by the identifier of its store.
  public typealias TokenType = [String: Int64]

  /// The number of the last transaction of each store, nil for the beginning of all history.
  public let tokenValue: TokenType?

  /// Creates a token; stores make them.
  public init(tokenValue: TokenType? = nil) {
    self.tokenValue = tokenValue
  }

  /// The sum of the numbers, which grows with each transaction of the stores.
  public var id: Int {
    (tokenValue ?? [:]).values.reduce(0) { $0 &+ Int(truncatingIfNeeded: $1) }
  }

  /// Whether each store stands at the same transaction; one that is not named stands at none.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    stores(lhs, rhs).allSatisfy { lhs[$0] == rhs[$0] }
  }

  /// Orders by the first store, in the order of identifiers, that stands at another transaction.
  ///
  /// For tokens of one store that is the order of its transactions.
  public static func < (lhs: Self, rhs: Self) -> Bool {
    guard let store = stores(lhs, rhs).sorted().first(where: { lhs[$0] != rhs[$0] }) else {
      return false
    }
    return lhs[store] < rhs[store]
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine((tokenValue ?? [:]).filter { $0.value != 0 })
  }

  private subscript(store: String) -> Int64 { tokenValue?[store] ?? 0 }

  private static func stores(_ lhs: Self, _ rhs: Self) -> Set<String> {
    Set((lhs.tokenValue ?? [:]).keys).union((rhs.tokenValue ?? [:]).keys)
  }
}
