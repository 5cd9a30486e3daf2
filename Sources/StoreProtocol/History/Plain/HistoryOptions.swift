import Foundation

/// What a store remembers of its saves, and for how long.
public struct HistoryOptions: Hashable, Sendable {
  /// How much a store remembers of a save.
  public enum Content: String, CaseIterable, Codable, Hashable, Sendable {
    /// Nothing. The first save takes away what history there is: it would have a gap.
    case off
    /// Which rows were inserted, changed in which properties, and deleted.
    case on
    /// That, and the values before and after, but for those that may lie in files of their own.
    case values
  }

  /// How much is remembered.
  public var content: Content
  /// How long it is remembered.
  public var retention: HistoryRetention

  /// Creates options.
  public init(_ content: Content = .on, keeping retention: HistoryRetention = .standard) {
    self.content = content
    self.retention = retention
  }

  /// Which rows changed, for 30 days.
  public static var on: HistoryOptions { HistoryOptions(.on) }
  /// Nothing.
  public static var off: HistoryOptions { HistoryOptions(.off) }
  /// Which rows changed and their values, for 30 days.
  public static var values: HistoryOptions { HistoryOptions(.values) }
}

/// How long a store keeps its history.
///
/// The oldest transactions go first, a few at a time with saves, and whoever has a token of before
/// gets ``SwiftDataError/historyTokenExpired``. The last transaction stays always.
public struct HistoryRetention: Hashable, Sendable {
  /// The greatest age in seconds, nil for any.
  public var age: TimeInterval?
  /// The greatest number of saves, nil for any.
  public var count: Int?
  /// The greatest size of all that is remembered, in bytes of its text, nil for any.
  public var size: Int?

  /// Creates a bound; without any the history grows for as long as the store is used.
  public init(age: TimeInterval? = nil, count: Int? = nil, size: Int? = nil) {
    self.age = age
    self.count = count
    self.size = size
  }

  /// 30 days, 20,000 saves and 16 MiB, whichever comes first.
  public static var standard: HistoryRetention {
    HistoryRetention(age: 30 * 86_400, count: 20_000, size: 16 << 20)
  }

  /// No bound.
  public static var forever: HistoryRetention { HistoryRetention() }

  /// How long transactions stay that a named reader has not read, whatever else a store is asked to keep:
  /// 365 days, 1,000,000 saves and 256 MiB, whichever comes first.
  ///
  /// A reader that was away for longer is told so at its next reading.
  public static var unread: HistoryRetention {
    HistoryRetention(age: 365 * 86_400, count: 1_000_000, size: 256 << 20)
  }
}

extension HistoryRetention {
  /// How many saves come between two looks at what is too old.
  package static let interval: Int64 = 16
  /// How many transactions go at one look.
  package static let step = 256

  /// Whether a transaction is to go, by its number and time, the size of it and of what comes after
  /// it, the number of the last save, the time, and the position of the reader that has read least.
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
