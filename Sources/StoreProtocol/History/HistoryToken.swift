/// A position in the history, to be kept and to be asked from later.
public protocol HistoryToken: Codable, Comparable, Hashable, Identifiable, Sendable {
  /// The type of what a token is made of.
  associatedtype TokenType: Codable, Hashable, Sendable

  /// What the token is made of, nil for the beginning of all history.
  var tokenValue: TokenType? { get }
}
