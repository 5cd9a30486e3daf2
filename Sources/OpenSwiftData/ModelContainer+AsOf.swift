import Foundation
import MemoryStore
import ModelLayer

extension ModelContainer {
  /// Returns a container with everything as it was at a position of the history.
  ///
  /// It is a copy in memory under the same identifiers; saves in it change nothing else. Later
  /// changes are reverted by their earlier values, which the stores must have kept
  /// (``HistoryOptions/Content/values``) since that position.
  ///
  /// ```swift
  /// let lastWeek = ModelContext(try container.asOf(token))
  /// let before = try lastWeek.fetch(FetchDescriptor<Trip>())
  /// ```
  ///
  /// - Parameter token: The position, from ``ModelContext/currentHistoryToken()`` or from a
  ///   transaction.
  /// - Returns: The container.
  /// - Throws: ``DataStoreError/unsupportedFeature`` with the row and property of which an earlier
  ///   value was not kept, or if a store keeps no history; `SwiftDataError.historyTokenExpired` if
  ///   the history does not reach back; `historyTokenDiverged` if the position is not from the
  ///   stores' past; ``DataStoreError/storeBusy`` if others save continuously; and errors of
  ///   stores.
  /// - Complexity: O(*n*) in the size of the stores, in time and in memory.
  public func asOf(_ token: DefaultHistoryToken) throws -> ModelContainer {
    try token.check(among: stores.compactMap { ($0 as? any HistoryKeeping)?.identifier })
    let configurations = try stores.map { store -> any DataStoreConfiguration in
      guard let keeping = store as? any HistoryKeeping else {
        throw DataStoreError(
          .unsupportedFeature,
          "\(type(of: store)) keeps no history and cannot return its earlier state"
        )
      }
      return try PastState(of: keeping, at: token).configuration()
    }
    return try ModelContainer(for: schema, configurations: configurations)
  }
}

/// The rows of one store at a position of its history.
private struct PastState {
  /// The number of attempts to read while others save.
  private static let attempts = 8

  private let schema: Schema
  private let identifier: String
  private var rows: [PersistentIdentifier: DefaultSnapshot] = [:]

  init(of store: any HistoryKeeping, at token: DefaultHistoryToken) throws {
    schema = store.schema
    identifier = store.identifier
    for _ in 0..<Self.attempts {
      let bounds = try store.historyBounds()
      rows = try Self.rows(of: store)
      let changes = try store.netChanges(from: token, to: nil)
      guard try store.historyBounds().last == bounds.last else { continue }
      for change in changes { try revert(change) }
      return
    }
    throw DataStoreError(
      .storeBusy,
      "other saves changed the store during each read; try again later"
    )
  }

  private static func rows(
    of store: any HistoryKeeping
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    var rows: [PersistentIdentifier: DefaultSnapshot] = [:]
    for entity in store.schema.storeSchema.entities {
      var query = StoreQuery(entity: entity.name)
      query.includesSubentities = false
      query.properties = entity.properties.map(\.name)
      for row in try store.fetch(query) { rows[row.persistentIdentifier] = row }
    }
    return rows
  }

  private mutating func revert(_ change: StoreChange) throws {
    guard let entity = schema.storeSchema.entity(named: change.identifier.entityName) else {
      return
    }
    switch change.kind {
    case .insert: rows[change.identifier] = nil
    case .update:
      for name in change.properties where entity.property(named: name) != nil {
        let before = try value(name, change)
        rows[change.identifier]?[name] = before
      }
    case .delete:
      let values = try entity.properties.map { property -> StoreValue in
        try value(property.name, change)
      }
      rows[change.identifier] = DefaultSnapshot(
        persistentIdentifier: change.identifier,
        entity: entity,
        values: values
      )
    }
  }

  private func value(_ name: String, _ change: StoreChange) throws -> StoreValue {
    if let value = change.before[name] { return value }
    throw DataStoreError(
      .unsupportedFeature,
      "the history does not have the earlier values of \(change.identifier); open the store with "
        + "the option history=values to record them from now on",
      entity: change.identifier.entityName,
      property: name,
      identifiers: [change.identifier]
    )
  }

  func configuration() throws -> MemoryStoreConfiguration {
    try MemoryStoreConfiguration(schema: schema, identifier: identifier, rows: Array(rows.values))
  }
}
