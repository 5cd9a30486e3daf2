import Foundation

/// One save as the built-in stores keep it.
package struct HistoryRecord: Hashable, Sendable {
  /// The number of the save.
  package let number: Int64
  /// When it was saved.
  package let timestamp: Date
  /// Who saved.
  package let author: String?
  /// The program that saved.
  package let bundle: String
  /// The process that saved.
  package let process: String
  /// What changed.
  package let groups: [HistoryGroup]

  /// Creates a record.
  package init(
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

  /// The record of a save of this process, now.
  package init(number: Int64, author: String?, groups: [HistoryGroup]) {
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
  package static let ownBundle = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
  /// The number of the process.
  package static let ownProcess = String(ProcessInfo.processInfo.processIdentifier)

  /// The record as a transaction of a store.
  package func transaction(storeIdentifier: String) -> StoreTransaction {
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
  package func text(_ text: StoreHistoryFilter.Text) -> String? {
    switch text {
    case .author: author
    case .bundle: bundle
    case .process: process
    }
  }

  package func changes(anyOf entities: Set<String>) -> Bool {
    groups.contains { entities.contains($0.entity) }
  }
}
