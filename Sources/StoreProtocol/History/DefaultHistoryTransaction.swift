import Foundation
import Synchronization

/// A save, as recorded by the stores of this package.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The transaction as the store keeps it.
  package let plain: StoreTransaction
  private let list: ChangeList

  /// The time of the save.
  public var timestamp: Date { plain.timestamp }
  /// The changes, in order.
  ///
  /// - Complexity: O(*n*) in the number of changes at the first access, which creates them; O(1)
  ///   afterward.
  public var changes: [HistoryChange] { list.changes }
  /// The position after this transaction.
  public private(set) var token: DefaultHistoryToken
  /// The number of the transaction in its store, increasing from save to save.
  public var transactionIdentifier: Int64 { plain.number }
  /// The identifier of the save, unique across all stores.
  ///
  /// A program that applies transactions elsewhere uses it to recognize those that it has already
  /// applied.
  public var saveIdentifier: UUID { plain.saveIdentifier }
  /// The kind of work that the save was for, independent of ``author``, which programs choose
  /// freely.
  public var origin: SaveOrigin { plain.origin }
  /// The identifier of the changed store.
  public let storeIdentifier: String
  /// The bundle identifier of the program that saved.
  public var bundleIdentifier: String { plain.bundleIdentifier }
  /// The process that saved.
  public var processIdentifier: String { plain.processIdentifier }
  /// The author of the changes, as set by the context.
  public var author: String? { plain.author }

  /// Creates the transaction of a store, whose changes a closure creates at the first access.
  init(
    _ plain: StoreTransaction,
    of store: String,
    makingChanges: @escaping @Sendable () -> [HistoryChange]
  ) {
    self.plain = plain
    list = ChangeList(makingChanges)
    token = DefaultHistoryToken(store, plain.number, save: plain.saveIdentifier)
    storeIdentifier = store
  }

  /// Returns the transaction with another position.
  package func with(_ token: DefaultHistoryToken) -> DefaultHistoryTransaction {
    var transaction = self
    transaction.token = token
    return transaction
  }

  /// The number of changed rows, without creating the changes.
  package var changeCount: Int { plain.changes.count }

  /// Returns whether rows of any of the given entities were changed, without creating the changes.
  package func changes(anyOf entities: Set<String>) -> Bool {
    plain.changes.concern(anyOf: entities)
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
