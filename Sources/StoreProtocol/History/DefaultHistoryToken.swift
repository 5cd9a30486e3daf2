import Foundation

/// A position in the histories of some stores: the number of the last transaction of each.
///
/// A token also has the identifier of the last save that each position has seen. By it a store notices
/// that the position is not of its own past, as after a backup was put back, and says so
/// (``SwiftDataError/historyTokenDiverged``) rather than give an answer with a gap.
public struct DefaultHistoryToken: HistoryToken {
  /// The number of a transaction by the identifier of its store.
  public typealias TokenType = [String: Int64]

  /// The number of the last transaction of each store, nil for the beginning of all history.
  public let tokenValue: TokenType?

  /// The identifier of the last save that the position in a store has seen, by the identifier of the
  /// store; a position without one is judged by its number alone.
  public let saveIdentifiers: [String: UUID]

  /// Creates a token; stores make them.
  public init(tokenValue: TokenType? = nil, saveIdentifiers: [String: UUID] = [:]) {
    self.tokenValue = tokenValue
    self.saveIdentifiers = saveIdentifiers
  }

  private enum CodingKeys: CodingKey {
    case tokenValue
    case saveIdentifiers
  }

  /// Decodes a token, of earlier versions of the package too, which had numbers alone.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    tokenValue = try container.decodeIfPresent(TokenType.self, forKey: .tokenValue)
    saveIdentifiers =
      try container.decodeIfPresent([String: UUID].self, forKey: .saveIdentifiers) ?? [:]
  }

  /// Encodes the token.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(tokenValue, forKey: .tokenValue)
    if !saveIdentifiers.isEmpty {
      try container.encode(saveIdentifiers, forKey: .saveIdentifiers)
    }
  }

  /// The token with the positions of another in the place of its own.
  package func joined(with other: DefaultHistoryToken) -> DefaultHistoryToken {
    let named = other.tokenValue ?? [:]
    return DefaultHistoryToken(
      tokenValue: (tokenValue ?? [:]).merging(named) { $1 },
      saveIdentifiers: saveIdentifiers.filter { named[$0.key] == nil }
        .merging(other.saveIdentifiers) { $1 }
    )
  }

  /// The part of the token that concerns one store.
  package func position(in store: String) -> DefaultHistoryToken {
    DefaultHistoryToken(
      tokenValue: [store: self[store]],
      saveIdentifiers: saveIdentifiers.filter { $0.key == store }
    )
  }

  /// Refuses a token of a store that is not there, where another store is there that it does not name:
  /// the file was exchanged, or a store in memory began anew.
  ///
  /// - Parameter stores: The identifiers of the stores that are there.
  /// - Throws: ``SwiftDataError/historyTokenDiverged``.
  package func check(among stores: some Sequence<String>) throws {
    let named = Set((tokenValue ?? [:]).keys)
    let stores = Set(stores)
    guard let gone = named.subtracting(stores).min(), let new = stores.subtracting(named).min()
    else { return }
    throw SwiftDataError.historyTokenDiverged.with(
      "the token has seen saves of the store \(gone), which is not there, and none of \(new), which is: "
        + "the file was exchanged, or a store in memory began anew; read what you need anew and take a "
        + "new token"
    )
  }

  /// The sum of the numbers, which grows with each transaction of the stores.
  public var id: Int {
    (tokenValue ?? [:]).values.reduce(0) { $0 &+ Int(truncatingIfNeeded: $1) }
  }

  /// Whether each store is at the same number; one that is not named is at none.
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
