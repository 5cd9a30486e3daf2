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
  public var tokenValue: TokenType? { positions?.mapValues(\.number) }

  /// The identifier of the last save that the position in a store has seen, by the identifier of the
  /// store; a position without one is judged by its number alone.
  public var saveIdentifiers: [String: UUID] { (positions ?? [:]).compactMapValues(\.save) }

  private struct Position {
    let number: Int64
    let save: UUID?
  }

  private let positions: [String: Position]?

  private init(_ positions: [String: Position]?) {
    self.positions = positions
  }

  /// Creates a token; stores make them.
  ///
  /// - Parameters:
  ///   - tokenValue: The numbers of the last transactions, nil for the beginning of all history.
  ///   - saveIdentifiers: The identifiers of the saves; those of stores without a number are left out.
  public init(tokenValue: TokenType? = nil, saveIdentifiers: [String: UUID] = [:]) {
    guard let tokenValue else {
      self.init(nil)
      return
    }
    var positions: [String: Position] = [:]
    for (store, number) in tokenValue {
      positions[store] = Position(number: number, save: saveIdentifiers[store])
    }
    self.init(positions)
  }

  /// Creates a token of one store.
  package init(_ store: String, _ number: Int64, save: UUID? = nil) {
    self.init([store: Position(number: number, save: save)])
  }

  private enum CodingKeys: CodingKey {
    case tokenValue
    case saveIdentifiers
  }

  /// Decodes a token, of earlier versions of the package too, which had numbers alone.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      tokenValue: try container.decodeIfPresent(TokenType.self, forKey: .tokenValue),
      saveIdentifiers:
        try container.decodeIfPresent([String: UUID].self, forKey: .saveIdentifiers) ?? [:]
    )
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
    DefaultHistoryToken((positions ?? [:]).merging(other.positions ?? [:]) { $1 })
  }

  /// The part of the token that concerns one store.
  package func position(in store: String) -> DefaultHistoryToken {
    let (number, save) = self[store]
    return DefaultHistoryToken(store, number, save: save)
  }

  /// Whether the token names a store.
  var hasPositions: Bool { positions?.isEmpty == false }

  /// The number of the last transaction of a store, and the identifier of the last save that the position
  /// has seen.
  subscript(store: String) -> (number: Int64, save: UUID?) {
    let position = positions?[store]
    return (position?.number ?? 0, position?.save)
  }

  /// Refuses a token of a store that is not there, where another store is there that it does not name:
  /// the file was exchanged, or a store in memory began anew.
  ///
  /// - Parameter stores: The identifiers of the stores that are there.
  /// - Throws: ``SwiftDataError/historyTokenDiverged``.
  package func check(among stores: some Sequence<String>) throws {
    let named = Set((positions ?? [:]).keys)
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
    (positions ?? [:]).values.reduce(0) { $0 &+ Int(truncatingIfNeeded: $1.number) }
  }

  /// Whether each store is at the same number; one that is not named is at none.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    stores(lhs, rhs).allSatisfy { lhs[$0].number == rhs[$0].number }
  }

  /// Orders by the first store, in the order of identifiers, that stands at another transaction.
  ///
  /// For tokens of one store that is the order of its transactions.
  public static func < (lhs: Self, rhs: Self) -> Bool {
    guard let store = stores(lhs, rhs).sorted().first(where: { lhs[$0].number != rhs[$0].number })
    else { return false }
    return lhs[store].number < rhs[store].number
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine((tokenValue ?? [:]).filter { $0.value != 0 })
  }

  private static func stores(_ lhs: Self, _ rhs: Self) -> Set<String> {
    Set((lhs.positions ?? [:]).keys).union((rhs.positions ?? [:]).keys)
  }
}
