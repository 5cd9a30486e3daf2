import Foundation
import StoreProtocol

/// A reader of a container's history whose position the stores keep under a name.
///
/// Transactions that a search index, an outbox or a second store has not read stay in the history, up to
/// ``HistoryRetention/unread``:
///
/// ```swift
/// let reader = container.historyReader("search-index")
/// for transaction in try reader.read() {
///   index.apply(transaction)
///   try reader.advance(to: transaction.token)
/// }
/// ```
///
/// Between the two steps a program may end, and then gets the transaction again; it knows it by its
/// ``DefaultHistoryTransaction/saveIdentifier``. Where what is made of a transaction lies in the same
/// store, ``advance(to:in:)`` makes both one save, so that each transaction is applied exactly once.
public struct HistoryReader: Sendable {
  /// The name of the reader.
  public let name: String
  private let core: ContainerCore

  init(_ name: String, in core: ContainerCore) {
    self.name = name.precomposedStringWithCanonicalMapping
    self.core = core
  }

  private var stores: HistoryStores { HistoryStores(core.backends) }

  /// Returns how far the reader has read, or `nil` for one that never advanced.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` when no store keeps a history, and what stores throw.
  public func position() throws -> DefaultHistoryToken? {
    var position: DefaultHistoryToken?
    for store in try keeping() {
      guard let own = try self.position(in: store) else { continue }
      position = (position ?? DefaultHistoryToken()).joined(with: own)
    }
    return position
  }

  /// Returns the transactions that the reader has not read, the oldest first.
  ///
  /// A reader that never advanced reads from the beginning. When this throws one of the errors about
  /// tokens, the history cannot tell all that has changed: read the objects themselves anew, and then
  /// advance to the token that ``ModelContext/currentHistoryToken()`` gave before.
  ///
  /// - Parameter limit: The number of transactions to return at the most, or `nil` for all.
  /// - Returns: The transactions; each has the token to advance to when it is dealt with.
  /// - Throws: `SwiftDataError.historyTokenExpired` when transactions that the reader has not read are
  ///   gone, `SwiftDataError.historyTokenDiverged` when it has read saves that the store does not have,
  ///   ``DataStoreError/unsupportedFeature`` when no store keeps a history, and what stores throw.
  /// - Complexity: O(*n*) in the transactions that are returned and their changes.
  public func read(limit: Int? = nil) throws -> [DefaultHistoryTransaction] {
    var position = DefaultHistoryToken()
    for store in try keeping() {
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

  /// Keeps a position in a save of its own in each store.
  ///
  /// The position may also be an earlier one, as far as the history goes back.
  ///
  /// - Parameter token: The token of the last transaction that was dealt with.
  /// - Throws: The errors of ``read(limit:)`` about tokens for a position from which the history does not
  ///   go on, and what saves throw.
  public func advance(to token: DefaultHistoryToken) throws {
    for (store, position) in try positions(token) { try store.setHistoryReader(position) }
  }

  /// Keeps a position in the next save of a context, together with its changes.
  ///
  /// A rollback of the context takes the step back.
  ///
  /// - Parameters:
  ///   - token: The token of the last transaction that was dealt with.
  ///   - context: A context of the same container.
  /// - Throws: The errors of ``read(limit:)`` about tokens for a position from which the history does not
  ///   go on, `SwiftDataError.missingModelContext` for a context of another container, and what reading
  ///   throws.
  public func advance(to token: DefaultHistoryToken, in context: ModelContext) throws {
    guard context.state.core === core else {
      throw SwiftDataError.missingModelContext.with(
        "the context belongs to another container than the reader \(name); take one of the same"
      )
    }
    for (store, position) in try positions(token) {
      guard let backend = core.backends.all.first(where: { $0.store === store }) else { continue }
      context.state.note(position, of: backend)
    }
  }

  /// Gives the reader up: the history keeps nothing for it, and one of its name begins anew.
  ///
  /// - Throws: What saves throw.
  public func remove() throws {
    for store in try keeping() { try store.removeHistoryReader(name) }
  }

  private func keeping() throws -> [any HistoryKeeping] {
    let found = stores.keeping
    guard !found.isEmpty else { throw HistoryStores.unsupported(DefaultHistoryTransaction.self) }
    return found
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
    return try keeping().compactMap { store in
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
  /// Returns the reader of a name, which need not have read anything yet.
  public func historyReader(_ name: String) -> HistoryReader { HistoryReader(name, in: core) }

  /// Returns the readers that the stores know, by rising names.
  ///
  /// Remove a reader that is no longer used (``HistoryReader/remove()``): the history keeps all
  /// transactions since its position.
  ///
  /// - Throws: What stores throw.
  public func historyReaders() throws -> [HistoryReader] {
    let names = try HistoryStores(core.backends).keeping.flatMap { try $0.historyReaders() }
    return Set(names.map(\.name)).sorted().map(historyReader)
  }
}
