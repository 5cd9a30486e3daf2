import Foundation
import ModelRuntime
import StoreProtocol

/// A reader of the histories of a container's stores, from position to position.
struct HistoryReading: Sendable {
  /// The position in the history of each store, by store identifier.
  private(set) var positions: [String: DefaultHistoryToken]
  /// The reason why the given tokens are not of these stores, until it is thrown.
  private var refusal: SwiftDataError?
  private let core: ContainerCore
  private let entities: Set<String>
  private let authors: Set<String>

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - tokens: The positions to begin at, by store identifier; a store that is not named begins
  ///     at its end.
  ///   - models: The models whose changes count, including those that inherit from them; an empty
  ///     array for all.
  ///   - authors: The authors whose saves count; an empty set for all.
  ///   - core: The stores.
  /// - Throws: ``DataStoreError/unsupportedFeature`` if no store keeps a history,
  ///   `SwiftDataError.invalidTransactionFetchRequest` for a token of another kind, and errors of
  ///   the stores.
  init(
    after tokens: [String: any HistoryToken]?,
    of models: [any PersistentModel.Type],
    by authors: Set<String>,
    in core: ContainerCore
  ) throws {
    self.core = core
    self.authors = authors
    let schema = core.schema.storeSchema
    entities = Set(
      models.flatMap { schema.family(of: Schema.entityName(for: $0)).map(\.name) }
    )
    positions = [:]
    for store in core.stores.all {
      guard let store = HistoryStore(store) else { continue }
      let given = try tokens?[store.identifier].map { try Self.token($0, of: store.identifier) }
      positions[store.identifier] = try given ?? store.end()
    }
    guard !positions.isEmpty else {
      throw DataStoreError(
        .unsupportedFeature,
        "no store of the container reports its changes; use one that keeps a history"
      )
    }
    guard let tokens, !tokens.isEmpty else { return }
    do {
      try DefaultHistoryToken(tokenValue: tokens.mapValues { _ in 0 }).check(among: positions.keys)
    } catch let error as SwiftDataError {
      refusal = error
    }
  }

  /// The roots of the hierarchies whose changes count.
  var roots: Set<String> {
    let schema = core.schema.storeSchema
    let counted = schema.entities.filter { entities.isEmpty || entities.contains($0.name) }
    return Set(counted.map(\.root))
  }

  /// Returns the transactions since the last call that count, in the order of time.
  ///
  /// - Throws: Errors of the stores; `SwiftDataError.historyTokenExpired` once, if the history was
  ///   deleted behind a position; and `SwiftDataError.historyTokenDiverged` if a position is not
  ///   from the store's past. The next call continues at the end.
  mutating func next() throws -> [DefaultHistoryTransaction] {
    if let refusal {
      self.refusal = nil
      throw refusal
    }
    var found: [DefaultHistoryTransaction] = []
    for store in core.stores.all {
      guard let store = HistoryStore(store), let position = positions[store.identifier] else {
        continue
      }
      do {
        let new = try store.transactions(after: position)
        positions[store.identifier] = new.last?.token ?? position
        found += new
      } catch let error as SwiftDataError
        where error == .historyTokenExpired || error == .historyTokenDiverged
      {
        positions[store.identifier] = try store.end()
        throw error
      }
    }
    if positions.count > 1 { found.sort { $0.timestamp < $1.timestamp } }
    return found.filter(counts)
  }

  private func counts(_ transaction: DefaultHistoryTransaction) -> Bool {
    if !authors.isEmpty, transaction.author.map(authors.contains) != true { return false }
    return entities.isEmpty || transaction.changes(anyOf: entities)
  }

  /// Returns a token as a position in one store alone.
  private static func token(
    _ token: any HistoryToken,
    of store: String
  ) throws -> DefaultHistoryToken {
    guard let token = token as? DefaultHistoryToken else {
      throw SwiftDataError.invalidTransactionFetchRequest.with(
        "the history token of the store \(store) is a \(type(of: token)); pass a token of one of "
          + "its transactions"
      )
    }
    return token.position(in: store)
  }
}
