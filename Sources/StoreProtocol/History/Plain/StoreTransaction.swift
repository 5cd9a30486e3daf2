import Foundation

/// A save in the history of a store, as a plain value.
public struct StoreTransaction: Equatable, Sendable {
  /// The number of the save, which is the version of the rows that it changed.
  public let number: Int64
  /// The identifier of the save (``StoreChanges/saveIdentifier``), unique across all stores.
  ///
  /// For saves from before stores recorded it, it is derived from the store and the number
  /// (`UUID(ofSave:in:)`).
  public let saveIdentifier: UUID
  /// The time of the save by the system clock; the order follows from numbers, not from times.
  public let timestamp: Date
  /// The author of the save, as set by the context.
  public let author: String?
  /// The kind of work that the save was for.
  public let origin: SaveOrigin
  /// The bundle identifier of the program that saved.
  public let bundleIdentifier: String
  /// The process that saved.
  public let processIdentifier: String
  /// The changes, one for each row: insertions, updates, deletions, each by entity and key.
  public let changes: Changes

  /// Creates a transaction.
  package init(
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

  /// Creates a transaction with the changes of another transaction or of a file.
  package init(
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

/// The range of a store's history.
public struct HistoryBounds: Hashable, Sendable {
  /// The number up to which transactions may be deleted; tokens of earlier positions have expired.
  package let cut: Int64
  /// The number of the last save.
  package let last: Int64
  /// The identifier of the save at ``cut``, or `nil` if nothing is deleted or the identifier is
  /// unknown.
  package let cutSave: UUID?
  /// The identifier of the last save that recorded a transaction, deleted or not, or `nil` if there
  /// is none or it is unknown.
  package let lastSave: UUID?

  /// Creates bounds.
  package init(cut: Int64, last: Int64, cutSave: UUID? = nil, lastSave: UUID? = nil) {
    self.cut = cut
    self.last = last
    self.cutSave = cutSave
    self.lastSave = lastSave
  }
}
