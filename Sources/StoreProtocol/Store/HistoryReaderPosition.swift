import Foundation

/// The position of a named reader in the history of one store, as the store keeps it.
///
/// Transactions beyond the retention limits remain until every reader has read them, up to 1,000,000
/// saves and 256 MiB.
public struct HistoryReaderPosition: Codable, Hashable, Sendable {
  /// The name of the reader, in composed form.
  public let name: String
  /// The number of the last save that the reader has read.
  package let number: Int64
  /// The identifier of the last save before the position, or `nil` if it is unknown.
  package let save: UUID?
  /// The time at which the position was set.
  package let timestamp: Date

  /// Creates a position.
  package init(name: String, number: Int64, save: UUID?, timestamp: Date) {
    self.name = name.composed
    self.number = number
    self.save = save
    self.timestamp = timestamp
  }
}
