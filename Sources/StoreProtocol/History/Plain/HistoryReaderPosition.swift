import Foundation

/// How far a named reader has read the history of one store, as the store keeps it.
///
/// What the retention of the history would let go stays as long as a reader has not read it, up to
/// ``HistoryRetention/unread``.
public struct HistoryReaderPosition: Hashable, Sendable {
  /// The name of the reader, in composed form.
  public let name: String
  /// The number of the last save that the reader has read.
  public let number: Int64
  /// The identifier of the save that the position has seen last, or `nil` where it is not known.
  public let save: UUID?
  /// When the position was set.
  public let timestamp: Date

  /// Creates a position.
  public init(name: String, number: Int64, save: UUID?, timestamp: Date) {
    self.name = name.precomposedStringWithCanonicalMapping
    self.number = number
    self.save = save
    self.timestamp = timestamp
  }
}
