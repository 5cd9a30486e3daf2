import Foundation

/// One save in the history of a store, as a plain value.
public struct StoreTransaction: Hashable, Sendable {
  /// The number of the save, which the rows that it changed have as their version.
  public let number: Int64
  /// The identifier of the save (``StoreChanges/saveIdentifier``), which no other save of any store has.
  ///
  /// Saves that were made before stores kept it have one made from the store and the number
  /// (`UUID(ofSave:in:)`).
  public let saveIdentifier: UUID
  /// When it was saved, by the clock of the system; numbers tell the order, not times.
  public let timestamp: Date
  /// Who saved, as the context said.
  public let author: String?
  /// The kind of work that the save was for.
  public let origin: SaveOrigin
  /// The program that saved.
  public let bundleIdentifier: String
  /// The process that saved.
  public let processIdentifier: String
  /// The changes, one a row: insertions, updates, deletions, each by entity and key.
  public let changes: Changes

  /// Creates a transaction.
  public init(
    number: Int64,
    saveIdentifier: UUID,
    timestamp: Date,
    author: String? = nil,
    origin: SaveOrigin = .program,
    bundleIdentifier: String = "",
    processIdentifier: String = "",
    changes: [StoreChange]
  ) {
    self.init(
      number: number,
      saveIdentifier: saveIdentifier,
      timestamp: timestamp,
      author: author,
      origin: origin,
      bundleIdentifier: bundleIdentifier,
      processIdentifier: processIdentifier,
      changes: Changes(changes)
    )
  }

  /// Creates a transaction with changes of another one, or of a file.
  init(
    number: Int64,
    saveIdentifier: UUID,
    timestamp: Date,
    author: String?,
    origin: SaveOrigin,
    bundleIdentifier: String,
    processIdentifier: String,
    changes: Changes
  ) {
    self.number = number
    self.saveIdentifier = saveIdentifier
    self.timestamp = timestamp
    self.author = author
    self.origin = origin
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
  /// The identifier of the save at ``cut``, or `nil` where nothing is gone or the store does not know it.
  public let cutSave: UUID?
  /// The identifier of the last save that left a transaction, gone or not, or `nil` where none did or
  /// the store does not know it.
  public let lastSave: UUID?

  /// Creates bounds.
  public init(cut: Int64, last: Int64, cutSave: UUID? = nil, lastSave: UUID? = nil) {
    self.cut = cut
    self.last = last
    self.cutSave = cutSave
    self.lastSave = lastSave
  }
}
