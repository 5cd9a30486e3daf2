/// A position in the history, which a program keeps to read the changes after it later.
public protocol HistoryToken: Codable, Comparable, Hashable, Identifiable, Sendable {
  /// The type of a token's value.
  associatedtype TokenType: Codable, Hashable, Sendable

  /// The value of the token, or `nil` for the beginning of all history.
  var tokenValue: TokenType? { get }
}
