/// A position in the history, which a program keeps to read the changes after it later.
public protocol HistoryToken: Codable, Comparable, Hashable, Identifiable, Sendable {
  /// The type of a token's value.
  associatedtype TokenType: Codable, Hashable, Sendable

  /// The value of the token, or `nil` for the beginning of all history.
  var tokenValue: TokenType? { get }

  /// The identifier of the store whose history has the position.
  ///
  /// It is empty if the token names no store, as by default. Of several stores, it is the first in
  /// the order of identifiers.
  var storeIdentifier: String { get }
}

extension HistoryToken {
  public var storeIdentifier: String { "" }
}
