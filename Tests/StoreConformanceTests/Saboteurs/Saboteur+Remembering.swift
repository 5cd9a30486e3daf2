import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  /// Those that tell a wrong history.
  static let remembering: [Saboteur] = [
    Saboteur("forgets who saved", "HIST-001") {
      .telling { $0.with(author: nil, changes: Array($0.changes)) }
    },
    Saboteur("makes two transactions of one save", "HIST-001") {
      var alterations = Alterations()
      alterations.transactions = { try $0.transactions($1).flatMap { [$0, $0] } }
      return alterations
    },
    Saboteur("tells what became of a row step by step", "HIST-002") {
      .reportingChanges { changes in
        changes.flatMap { change in
          change.kind == .update && change.properties.count > 1
            ? change.properties.map { StoreChange(.update, change.identifier, properties: [$0]) }
            : [change]
        }
      }
    },
    Saboteur("reports saves that failed", "HIST-003") {
      let failures = Shared(0)
      var alterations = Alterations()
      alterations.apply = { store, changes in
        do {
          return try store.apply(changes)
        } catch {
          failures.withLock { $0 += 1 }
          throw error
        }
      }
      alterations.transactions = { store, query in
        let found = try store.transactions(query)
        return failures.value == 0 ? found : found + found.suffix(1)
      }
      return alterations
    },
    Saboteur("reports a merged row as a new one", "RANDOM-301") {
      .reportingChanges { changes in
        changes.map {
          $0.kind == .update && $0.properties.count > 1 ? StoreChange(.insert, $0.identifier) : $0
        }
      }
    },
    Saboteur("does not tell what a deletion does to others", "RANDOM-301") {
      .reportingChanges { changes in
        changes.contains { $0.kind == .delete } ? changes.filter { $0.kind != .update } : changes
      }
    },
    Saboteur("reports the first thousand rows only", "HIST-006") {
      .reportingChanges { Array($0.prefix(1_000)) }
    },
    Saboteur("gives all of the history whatever the filter says", "HIST-007") {
      var alterations = Alterations()
      alterations.transactions = { store, query in
        try store.transactions(StoreHistoryQuery(order: query.order, limit: query.limit))
      }
      return alterations
    },
    Saboteur("always gives the oldest first", "HIST-008") {
      var alterations = Alterations()
      alterations.transactions = { store, query in
        try store.transactions(StoreHistoryQuery(filter: query.filter, limit: query.limit))
      }
      return alterations
    },
    Saboteur("does not say that it forgot", "RANDOM-301") {
      var alterations = Alterations()
      alterations.historyBounds = { HistoryBounds(cut: 0, last: $0.last) }
      return alterations
    },
    Saboteur("forgets all of its history instead of some", "RANDOM-301") {
      var alterations = Alterations()
      alterations.deleteTransactions = { store, _ in try store.deleteTransactions(nil) }
      return alterations
    },
    Saboteur("remembers rows that were erased", "RANDOM-301") {
      let kept = Shared<[StoreTransaction]>([])
      var alterations = Alterations()
      alterations.erase = { store in
        if let store = store as? any HistoryKeeping {
          let found = try store.transactions(StoreHistoryQuery())
          kept.withLock { $0 = found }
        }
        try store.erase()
      }
      alterations.transactions = { try kept.value + $0.transactions($1) }
      return alterations
    },
    Saboteur("keeps the transaction of a failed save", "HIST-014", over: Fixtures.JSON()) {
      let failed = Shared<[StoreTransaction]>([])
      var alterations = Alterations()
      alterations.apply = { store, changes in
        do {
          return try store.apply(changes)
        } catch {
          let history = try (store as? any HistoryKeeping)?.transactions(StoreHistoryQuery())
          failed.withLock { $0 += history?.suffix(1) ?? [] }
          throw error
        }
      }
      alterations.transactions = { try $0.transactions($1) + failed.value }
      return alterations
    },
    Saboteur("begins a new history each time it is opened", "RANDOM-401", over: Fixtures.JSON()) {
      let openings = Shared(0)
      var alterations = Alterations()
      alterations.schema = { schema in
        openings.withLock { $0 += 1 }
        return schema
      }
      alterations.transactions = { store, query in
        openings.value > 1 ? [] : try store.transactions(query)
      }
      return alterations
    },
  ]
}

extension StoreTransaction {
  /// The transaction with another author and other changes.
  func with(
    author: String?,
    changes: [StoreChange],
    save: UUID? = nil,
    origin: SaveOrigin? = nil,
    timestamp: Date? = nil
  ) -> StoreTransaction {
    StoreTransaction(
      number: number,
      saveIdentifier: save ?? saveIdentifier,
      timestamp: timestamp ?? self.timestamp,
      author: author,
      origin: origin ?? self.origin,
      bundleIdentifier: bundleIdentifier,
      processIdentifier: processIdentifier,
      changes: changes
    )
  }
}
