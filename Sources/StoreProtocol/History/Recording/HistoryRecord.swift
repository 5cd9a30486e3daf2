import Foundation

/// A save in a history, as the built-in stores keep it.
public struct HistoryRecord: Hashable, Sendable {
  /// The number of the save.
  public let number: Int64
  /// When it was saved.
  public let timestamp: Date
  /// Who saved.
  public let author: String?
  /// The program that saved.
  public let bundle: String
  /// The process that saved.
  public let process: String
  /// What changed.
  public let groups: [HistoryGroup]

  /// Creates a record.
  public init(
    number: Int64,
    timestamp: Date,
    author: String?,
    bundle: String,
    process: String,
    groups: [HistoryGroup]
  ) {
    self.number = number
    self.timestamp = timestamp
    self.author = author
    self.bundle = bundle
    self.process = process
    self.groups = groups
  }

  /// Creates the record of a save that this process makes now.
  public init(number: Int64, author: String?, groups: [HistoryGroup]) {
    self.init(
      number: number,
      timestamp: StoreEnvironment.current.now(),
      author: author,
      bundle: Self.ownBundle,
      process: Self.ownProcess,
      groups: groups
    )
  }

  /// The identifier of the program's bundle, its name where it has none.
  public static let ownBundle = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
  /// The number of the process.
  public static let ownProcess = String(ProcessInfo.processInfo.processIdentifier)

  /// Returns the record as a transaction of a store.
  public func transaction(storeIdentifier: String) -> StoreTransaction {
    StoreTransaction(
      number: number,
      timestamp: timestamp,
      author: author,
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

  /// Returns a Boolean value that indicates whether rows of one of some entities changed.
  public func changes(anyOf entities: Set<String>) -> Bool {
    groups.contains { entities.contains($0.entity) }
  }
}
