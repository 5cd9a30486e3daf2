import Foundation

/// A position in the histories of one or more stores: the number of the last transaction of each.
///
/// A token also contains the identifier of the last save before each position. A store uses it to
/// detect that a position is not part of its own history, as after a backup was restored. It then
/// throws ``SwiftDataError/historyTokenDiverged`` instead of returning a result with a gap.
public struct DefaultHistoryToken: HistoryToken {
  /// The number of the last transaction of each store, or `nil` for the beginning of all history.
  public var tokenValue: [String: Int64]? { positions?.mapValues(\.number) }

  /// The identifier of the last save before the position in each store, by store identifier.
  ///
  /// A position without an identifier is judged by its number alone.
  package var saveIdentifiers: [String: UUID] { (positions ?? [:]).compactMapValues(\.save) }

  public var storeIdentifier: String { positions?.keys.min() ?? "" }

  private struct Position {
    let number: Int64
    let save: UUID?
  }

  private let positions: [String: Position]?

  private init(_ positions: [String: Position]?) {
    self.positions = positions
  }

  /// Creates a token.
  ///
  /// Only stores create tokens.
  ///
  /// - Parameters:
  ///   - tokenValue: The numbers of the last transactions, or `nil` for the beginning of all
  ///     history.
  ///   - saveIdentifiers: The identifiers of the saves; those of stores without a number are
  ///     ignored.
  public init(tokenValue: [String: Int64]? = nil, saveIdentifiers: [String: UUID] = [:]) {
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

  package init(_ store: String, _ number: Int64, save: UUID? = nil) {
    positions = [store: Position(number: number, save: save)]
  }

  private enum CodingKeys: CodingKey {
    case tokenValue
    case saveIdentifiers
  }

  /// Decodes a token, including tokens of earlier versions of the package, which contain numbers
  /// only.
  ///
  /// - Throws: `DecodingError` for anything but an encoded token.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      tokenValue: try container.decode([String: Int64]?.self, forKey: .tokenValue),
      saveIdentifiers:
        try container.decodeIfPresent([String: UUID].self, forKey: .saveIdentifiers) ?? [:]
    )
  }

  /// Encodes the token.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    // Also without positions: what lacks the key is not a token.
    try container.encode(tokenValue, forKey: .tokenValue)
    if !saveIdentifiers.isEmpty {
      try container.encode(saveIdentifiers, forKey: .saveIdentifiers)
    }
  }

  /// Returns the token with its positions replaced by those of another token.
  package func joined(with other: DefaultHistoryToken) -> DefaultHistoryToken {
    DefaultHistoryToken((positions ?? [:]).merging(other.positions ?? [:]) { $1 })
  }

  /// Returns the part of the token that concerns one store.
  package func position(in store: String) -> DefaultHistoryToken {
    let (number, save) = self[store]
    return DefaultHistoryToken(store, number, save: save)
  }

  /// Whether the token names at least one store.
  var hasPositions: Bool { positions?.isEmpty == false }

  /// The number of the last transaction of a store, and the identifier of the last save before the
  /// position.
  subscript(store: String) -> (number: Int64, save: UUID?) {
    let position = positions?[store]
    return (position?.number ?? 0, position?.save)
  }

  /// Throws if the token names a missing store while a store that it does not name is present.
  ///
  /// Then the file was exchanged, or an in-memory store was created anew.
  ///
  /// - Parameter stores: The identifiers of the stores that are present.
  /// - Throws: ``SwiftDataError/historyTokenDiverged``.
  package func check(among stores: some Sequence<String>) throws {
    let named = Set((positions ?? [:]).keys)
    let stores = Set(stores)
    guard let gone = named.subtracting(stores).min(), let new = stores.subtracting(named).min()
    else { return }
    throw SwiftDataError.historyTokenDiverged.with(
      "the token is of the store \(gone), which is missing, and not of \(new), which is open: the "
        + "file was replaced, or a store in memory was created again; read all rows again and "
        + "take a new token"
    )
  }

  /// The sum of the numbers, which increases with each transaction of the stores.
  public var id: Int {
    (positions ?? [:]).values.reduce(0) { $0 &+ Int(truncatingIfNeeded: $1.number) }
  }

  /// Whether both tokens have the same number for each store; a store that is not named has the
  /// number 0.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    stores(lhs, rhs).allSatisfy { lhs[$0].number == rhs[$0].number }
  }

  /// Orders tokens by the first store, in the order of identifiers, whose numbers differ.
  ///
  /// For tokens of one store, this is the order of its transactions.
  public static func < (lhs: Self, rhs: Self) -> Bool {
    guard let store = stores(lhs, rhs).sorted().first(where: { lhs[$0].number != rhs[$0].number })
    else { return false }
    return lhs[store].number < rhs[store].number
  }

  /// Hashes the values that `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine((tokenValue ?? [:]).filter { $0.value != 0 })
  }

  private static func stores(_ lhs: Self, _ rhs: Self) -> Set<String> {
    Set((lhs.positions ?? [:]).keys).union((rhs.positions ?? [:]).keys)
  }
}
