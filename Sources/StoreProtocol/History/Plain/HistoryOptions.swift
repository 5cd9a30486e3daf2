import Foundation

/// The options for the content and retention of a store's history.
public struct HistoryOptions: Hashable, Sendable {
  /// The amount of detail that a store records of a save.
  public enum Content: String, CaseIterable, Codable, Hashable, Sendable {
    /// Nothing.
    ///
    /// The first save deletes existing history, because it would have a gap.
    case off
    /// The inserted and deleted rows, and the changed properties of updated rows.
    case on
    /// Like ``on``, and the values before and after, except those that may be stored in separate
    /// files.
    case values
  }

  /// The amount of detail.
  public var content: Content
  /// The retention period.
  public var retention: HistoryRetention

  /// Creates options.
  public init(_ content: Content = .on, keeping retention: HistoryRetention = .standard) {
    self.content = content
    self.retention = retention
  }
}

/// The limits of the history that a store retains.
///
/// Saves delete the oldest transactions, a few at a time. A token that refers to them results in
/// ``SwiftDataError/historyTokenExpired``. The last transaction is never deleted.
public struct HistoryRetention: Hashable, Sendable {
  /// The maximum age in seconds, or `nil` for no limit.
  package var age: TimeInterval?
  /// The maximum number of saves, or `nil` for no limit.
  package var count: Int?
  /// The maximum size of the history, in bytes of its encoded text, or `nil` for no limit.
  package var size: Int?

  /// Creates limits; without any, the history grows indefinitely.
  public init(age: TimeInterval? = nil, count: Int? = nil, size: Int? = nil) {
    self.age = age
    self.count = count
    self.size = size
  }

  /// 30 days, 20,000 saves and 16 MiB, whichever comes first.
  public static var standard: HistoryRetention {
    HistoryRetention(age: 30 * 86_400, count: 20_000, size: 16 << 20)
  }

  /// The limits for transactions that a named reader has not read, regardless of other options.
  ///
  /// The limits are 1,000,000 saves and 256 MiB, whichever comes first. A reader that has not read
  /// for longer gets an error at its next read. There is no limit of age, because a wrong clock
  /// would delete what the reader has not read.
  package static var unread: HistoryRetention {
    HistoryRetention(count: 1_000_000, size: 256 << 20)
  }
}

extension HistoryRetention {
  /// The number of saves between two checks of the limits.
  package static let interval: Int64 = 16
  /// The number of transactions that one check deletes.
  package static let step = 256

  /// Whether a transaction exceeds the limits.
  ///
  /// - Parameters:
  ///   - number: The number of the transaction.
  ///   - timestamp: The time of the transaction.
  ///   - sizeAfter: The size of the transaction and of those after it.
  ///   - last: The number of the last save.
  ///   - now: The current time.
  ///   - reader: The position of the reader that has read least.
  /// - Returns: Whether the transaction exceeds the limits.
  package func isOver(
    _ number: Int64,
    _ timestamp: Date,
    sizeAfter: Int,
    last: Int64,
    now: Date,
    reader: Int64?
  ) -> Bool {
    if let reader, number > reader,
      !Self.unread.isOver(
        number,
        timestamp,
        sizeAfter: sizeAfter,
        last: last,
        now: now,
        reader: nil
      )
    {
      return false
    }
    guard number < last else { return false }
    if let count, last &- number >= Int64(clamping: count) { return true }
    if let size, sizeAfter > size { return true }
    return age.map { now.timeIntervalSince(timestamp) > $0 } ?? false
  }
}
