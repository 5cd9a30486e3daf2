import Foundation
import StoreProtocol

/// A reader of a container's history whose position the stores keep under a name.
///
/// Transactions that a search index, an outbox or a second store has not read stay in the history,
/// up to 1,000,000 saves and 256 MiB:
///
/// ```swift
/// let reader = container.historyReader("search-index")
/// for transaction in try reader.read() {
///   index.apply(transaction)
///   try reader.advance(to: transaction.token)
/// }
/// ```
///
/// A program that ends between the two steps reads the transaction again. It recognizes the
/// transaction by its ``DefaultHistoryTransaction/saveIdentifier``. If the result of a transaction
/// is stored in the same store, ``advance(to:in:)`` makes both one save, so that each transaction
/// is applied exactly once.
public struct HistoryReader: Sendable {
  /// The name of the reader.
  public let name: String
  private let core: ContainerCore

  init(_ name: String, in core: ContainerCore) {
    self.name = name.composed
    self.core = core
  }

  private var stores: HistoryStores { HistoryStores(core.stores) }

  /// Returns the position up to which the reader has read, or `nil` if it never advanced.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` if no store keeps a history, and errors of
  ///   stores.
  public func position() throws -> DefaultHistoryToken? {
    var position: DefaultHistoryToken?
    for store in try stores.requireKeeping() {
      guard let own = try self.position(in: store) else { continue }
      position = (position ?? DefaultHistoryToken()).joined(with: own)
    }
    return position
  }

  /// Returns the transactions that the reader has not read, the oldest first.
  ///
  /// A reader that never advanced reads from the beginning. If this throws one of the errors about
  /// tokens, the history no longer has all changes. Then read the objects themselves, and advance
  /// to a token that ``ModelContext/currentHistoryToken()`` returned before that.
  ///
  /// - Parameter limit: The largest number of transactions to return, or `nil` for all.
  /// - Returns: The transactions; each has the token to advance to after it is processed.
  /// - Throws: `SwiftDataError.historyTokenExpired` if transactions that the reader has not read
  ///   were deleted; `SwiftDataError.historyTokenDiverged` if it has read saves that the store does
  ///   not have; ``DataStoreError/unsupportedFeature`` if no store keeps a history; and errors of
  ///   stores.
  /// - Complexity: O(*n*) in the transactions that are returned and their changes.
  public func read(limit: Int? = nil) throws -> [DefaultHistoryTransaction] {
    var position = DefaultHistoryToken()
    for store in try stores.requireKeeping() {
      let beginning = DefaultHistoryToken(store.identifier, 0)
      position = position.joined(with: try self.position(in: store) ?? beginning)
    }
    if let limit, limit <= 0 { return [] }
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.token > position }
    )
    descriptor.fetchLimit = UInt64(limit ?? 0)
    return try stores.fetch(descriptor)
  }

  /// Stores a position, in a save of its own in each store.
  ///
  /// The position may also be an earlier one that is still in the history.
  ///
  /// - Parameter token: The token of the last transaction that was processed.
  /// - Throws: The errors of ``read(limit:)`` about tokens if the history does not continue from
  ///   the position, and errors of saves.
  public func advance(to token: DefaultHistoryToken) throws {
    for (store, position) in try positions(token) { try store.setHistoryReader(position) }
  }

  /// Stores a position in the next save of a context, together with its changes.
  ///
  /// A rollback of the context reverts the step.
  ///
  /// - Parameters:
  ///   - token: The token of the last transaction that was processed.
  ///   - context: A context of the same container.
  /// - Throws: The errors of ``read(limit:)`` about tokens if the history does not continue from
  ///   the position; `SwiftDataError.missingModelContext` for a context of another container; and
  ///   errors of reading.
  public func advance(to token: DefaultHistoryToken, in context: ModelContext) throws {
    guard context.state.core === core else {
      throw SwiftDataError.missingModelContext.with(
        "the context and the reader \(name) belong to different containers; pass a context of the "
          + "reader's container"
      )
    }
    for (store, position) in try positions(token) {
      context.state.saver.note(position, of: store)
    }
  }

  /// Removes the reader: the history keeps nothing for it, and a reader of its name starts from the
  /// beginning.
  ///
  /// - Throws: Errors of saves.
  public func remove() throws {
    for store in try stores.requireKeeping() { try store.removeHistoryReader(name) }
  }

  private func position(in store: any HistoryKeeping) throws -> DefaultHistoryToken? {
    try store.historyReaders().first { $0.name == name }.map { position in
      DefaultHistoryToken(store.identifier, position.number, save: position.save)
    }
  }

  private func positions(
    _ token: DefaultHistoryToken
  ) throws -> [(store: any HistoryKeeping, position: HistoryReaderPosition)] {
    let named = token.tokenValue ?? [:]
    return try stores.requireKeeping().compactMap { store in
      guard let number = named[store.identifier] else { return nil }
      try store.checkHistory(after: token.position(in: store.identifier))
      let position = HistoryReaderPosition(
        name: name,
        number: number,
        save: token.saveIdentifiers[store.identifier],
        timestamp: StoreEnvironment.current.now()
      )
      return (store, position)
    }
  }
}

extension ModelContainer {
  /// Returns the reader with a name, which need not have read anything yet.
  public func historyReader(_ name: String) -> HistoryReader { HistoryReader(name, in: core) }

  /// Returns the readers that the stores keep, sorted by name.
  ///
  /// Remove a reader that is no longer used (``HistoryReader/remove()``): the history keeps all
  /// transactions since its position.
  ///
  /// - Throws: Errors of stores.
  public func historyReaders() throws -> [HistoryReader] {
    let names = try HistoryStores(core.stores).keeping.flatMap { try $0.historyReaders() }
    return Set(names.map(\.name)).sorted().map(historyReader)
  }
}
