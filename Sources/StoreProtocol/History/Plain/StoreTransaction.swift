import Foundation

/// One save in the history of a store, as a plain value.
public struct StoreTransaction: Hashable, Sendable {
  /// The number of the save, which the rows that it changed have as their version.
  public let number: Int64
  /// When it was saved, by the clock of the system; numbers tell the order, not times.
  public let timestamp: Date
  /// Who saved, as the context said.
  public let author: String?
  /// The program that saved.
  public let bundleIdentifier: String
  /// The process that saved.
  public let processIdentifier: String
  /// The changes, one a row: insertions, updates, deletions, each by entity and key.
  public let changes: Changes

  /// Creates a transaction.
  public init(
    number: Int64,
    timestamp: Date,
    author: String? = nil,
    bundleIdentifier: String = "",
    processIdentifier: String = "",
    changes: [StoreChange]
  ) {
    self.init(
      number: number,
      timestamp: timestamp,
      author: author,
      bundleIdentifier: bundleIdentifier,
      processIdentifier: processIdentifier,
      changes: Changes(changes)
    )
  }

  /// Creates a transaction with changes of another one, or of a file.
  init(
    number: Int64,
    timestamp: Date,
    author: String?,
    bundleIdentifier: String,
    processIdentifier: String,
    changes: Changes
  ) {
    self.number = number
    self.timestamp = timestamp
    self.author = author
    self.bundleIdentifier = bundleIdentifier
    self.processIdentifier = processIdentifier
    self.changes = changes
  }
}

/// From where to where the history of a store goes.
public struct HistoryBounds: Hashable, Sendable {
  /// The number up to which transactions may be gone; tokens of earlier positions have expired.
  public let cut: Int64
  /// The number of the last save.
  public let last: Int64

  /// Creates bounds.
  public init(cut: Int64, last: Int64) {
    self.cut = cut
    self.last = last
  }
}
