import Foundation
import Synchronization

/// One save, as the stores that come with this package remember it.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The type of the identities of transactions.
  public typealias TransactionIdentifier = Int64
  /// The type of positions in the history.
  public typealias TokenType = DefaultHistoryToken

  /// When the changes were saved.
  public let timestamp: Date
  /// The changes, in order.
  ///
  /// - Complexity: O(*n*) in the number of changes at the first access to this transaction's, which
  ///   makes them; O(1) after that.
  public var changes: [HistoryChange] { list.changes }
  private let list: ChangeList
  /// The position behind this transaction.
  public let token: DefaultHistoryToken
  /// The number of the transaction in its store, rising from save to save.
  public let transactionIdentifier: Int64
  /// The identifier of the save, which no other save of any store has.
  ///
  /// A program that applies transactions elsewhere knows by it which ones it has applied.
  public let saveIdentifier: UUID
  /// The kind of work that the save was for, apart from ``author``, which programs write as they like.
  public let origin: SaveOrigin
  /// The store that was changed.
  public let storeIdentifier: String
  /// The program that saved.
  public let bundleIdentifier: String
  /// The process that saved.
  public let processIdentifier: String
  /// Who changed it, as the context said.
  public let author: String?

  /// Creates a transaction; stores make them.
  ///
  /// Without an identifier of the save, it has one made from the store and the number.
  public init(
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

  /// Creates a transaction whose changes are made when they are asked for.
  init(
    timestamp: Date,
    makingChanges: @escaping @Sendable () -> [HistoryChange],
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
    self.token = token
    self.transactionIdentifier = transactionIdentifier
    self.saveIdentifier = saveIdentifier
    self.origin = origin
    self.storeIdentifier = storeIdentifier
    self.bundleIdentifier = bundleIdentifier
    self.processIdentifier = processIdentifier
    self.author = author
  }

  /// The number of the transaction.
  public var id: Int64 { transactionIdentifier }

  /// Compares store and number: a transaction never changes.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.transactionIdentifier == rhs.transactionIdentifier
      && lhs.storeIdentifier == rhs.storeIdentifier
  }

  /// Hashes store and number.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}

/// The changes of a transaction, which most programs ask for of few transactions.
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
