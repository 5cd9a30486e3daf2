import Foundation
import StoreProtocol

/// A save in a history, as the built-in stores keep it.
public struct HistoryRecord: Hashable, Sendable {
  /// The number of the save.
  public let number: Int64
  /// The identifier of the save, or `nil` if it was recorded without one.
  public let save: UUID?
  /// The time of the save.
  public let timestamp: Date
  /// The author of the save.
  public let author: String?
  /// The kind of work that the save was for.
  public let origin: SaveOrigin
  /// The bundle identifier of the program that saved.
  public let bundle: String
  /// The process that saved.
  public let process: String
  /// The changes.
  public var groups: [HistoryGroup]

  /// Creates a record.
  public init(
    number: Int64,
    save: UUID?,
    timestamp: Date,
    author: String?,
    origin: SaveOrigin = .program,
    bundle: String,
    process: String,
    groups: [HistoryGroup]
  ) {
    self.number = number
    self.save = save
    self.timestamp = timestamp
    self.author = author
    self.origin = origin
    self.bundle = bundle
    self.process = process
    self.groups = groups
  }

  /// Creates the record of a save by this process at the current time.
  public init(
    number: Int64,
    save: UUID,
    author: String?,
    origin: SaveOrigin = .program,
    groups: [HistoryGroup]
  ) {
    let environment = StoreEnvironment.current
    self.number = number
    self.save = save
    timestamp = environment.now()
    self.author = author
    self.origin = origin
    bundle = Self.ownBundle
    process = environment.processIdentifier
    self.groups = groups
  }

  /// The identifier of the program's bundle, or the process name if it has none.
  public static let ownBundle = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName

  /// Returns the record with the names after a migration, or `nil` if they are the same.
  public func renamed(by renaming: HistoryRenaming) -> HistoryRecord? {
    renaming.renamed(groups).map { groups in
      HistoryRecord(
        number: number,
        save: save,
        timestamp: timestamp,
        author: author,
        origin: origin,
        bundle: bundle,
        process: process,
        groups: groups
      )
    }
  }

  /// Returns the record as a transaction of a store.
  public func transaction(storeIdentifier: String) -> StoreTransaction {
    StoreTransaction(
      number: number,
      saveIdentifier: save ?? UUID(ofSave: number, in: storeIdentifier),
      timestamp: timestamp,
      author: author,
      origin: origin,
      bundleIdentifier: bundle,
      processIdentifier: process,
      changes: StoreTransaction.Changes(groups, storeIdentifier: storeIdentifier)
    )
  }
}

extension HistoryRecord: HistoryColumns {
  /// Returns the author, the bundle, or the process.
  public func text(_ text: StoreHistoryFilter.Text) -> String? {
    switch text {
    case .author: author
    case .bundle: bundle
    case .process: process
    }
  }

  /// Returns whether rows of any of the given entities changed.
  public func changes(anyOf entities: Set<String>) -> Bool {
    groups.contains { entities.contains($0.entity) }
  }
}
