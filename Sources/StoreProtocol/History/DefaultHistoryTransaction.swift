import Foundation
import Synchronization

/// A save, as recorded by the stores of this package.
public struct DefaultHistoryTransaction: HistoryTransaction {

  /// The time of the save.
  public let timestamp: Date
  /// The changes, in order.
  ///
  /// - Complexity: O(*n*) in the number of changes at the first access, which creates them; O(1)
  ///   afterward.
  public var changes: [HistoryChange] { list.changes }
  private let list: ChangeList
  /// The changes as the store keeps them, or `nil` if they were given as typed ones.
  let plainChanges: StoreTransaction.Changes?
  /// The position after this transaction.
  public let token: DefaultHistoryToken
  /// The number of the transaction in its store, increasing from save to save.
  public let transactionIdentifier: Int64
  /// The identifier of the save, unique across all stores.
  ///
  /// A program that applies transactions elsewhere uses it to recognize those that it has already
  /// applied.
  public let saveIdentifier: UUID
  /// The kind of work that the save was for, independent of ``author``, which programs choose
  /// freely.
  public let origin: SaveOrigin
  /// The identifier of the changed store.
  public let storeIdentifier: String
  /// The bundle identifier of the program that saved.
  public let bundleIdentifier: String
  /// The process that saved.
  public let processIdentifier: String
  /// The author of the changes, as set by the context.
  public let author: String?

  /// Creates a transaction.
  ///
  /// Only stores create transactions.
  ///
  /// Without a save identifier, the initializer derives one from the store and the number.
  package init(
    timestamp: Date,
    changes: [HistoryChange],
    token: DefaultHistoryToken,
    transactionIdentifier: Int64,
    saveIdentifier: UUID? = nil,
    storeIdentifier: String,
    bundleIdentifier: String = "",
    processIdentifier: String = "",
    author: String? = nil,
    origin: SaveOrigin = .program
  ) {
    self.init(
      timestamp: timestamp,
      makingChanges: { changes },
      plainChanges: nil,
      token: token,
      transactionIdentifier: transactionIdentifier,
      saveIdentifier: saveIdentifier ?? UUID(ofSave: transactionIdentifier, in: storeIdentifier),
      storeIdentifier: storeIdentifier,
      bundleIdentifier: bundleIdentifier,
      processIdentifier: processIdentifier,
      author: author,
      origin: origin
    )
  }

  /// Creates a transaction that creates its changes at the first access.
  init(
    timestamp: Date,
    makingChanges: @escaping @Sendable () -> [HistoryChange],
    plainChanges: StoreTransaction.Changes?,
    token: DefaultHistoryToken,
    transactionIdentifier: Int64,
    saveIdentifier: UUID,
    storeIdentifier: String,
    bundleIdentifier: String,
    processIdentifier: String,
    author: String?,
    origin: SaveOrigin
  ) {
    self.timestamp = timestamp
    list = ChangeList(makingChanges)
    self.plainChanges = plainChanges
    self.token = token
    self.transactionIdentifier = transactionIdentifier
    self.saveIdentifier = saveIdentifier
    self.origin = origin
    self.storeIdentifier = storeIdentifier
    self.bundleIdentifier = bundleIdentifier
    self.processIdentifier = processIdentifier
    self.author = author
  }

  /// The number of changed rows, without creating the changes.
  package var changeCount: Int { plainChanges?.count ?? changes.count }

  /// Returns whether rows of any of the given entities were changed, without creating the changes.
  package func changes(anyOf entities: Set<String>) -> Bool {
    plainChanges?.concern(anyOf: entities)
      ?? changes.contains { entities.contains($0.changedPersistentIdentifier.entityName) }
  }

  /// The number of the transaction.
  public var id: Int64 { transactionIdentifier }

  /// Compares the store and the number: a transaction is immutable.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.transactionIdentifier == rhs.transactionIdentifier
      && lhs.storeIdentifier == rhs.storeIdentifier
  }

  /// Hashes the store and the number.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}

/// The changes of a transaction, created lazily because most programs read the changes of few
/// transactions.
private final class ChangeList: Sendable {
  private let make: @Sendable () -> [HistoryChange]
  private let made = Mutex<[HistoryChange]?>(nil)

  init(_ make: @escaping @Sendable () -> [HistoryChange]) { self.make = make }

  var changes: [HistoryChange] {
    made.withLock { made in
      if let made { return made }
      let changes = make()
      made = changes
      return changes
    }
  }
}
