import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  private static let machine = "RANDOM-301"

  /// Those that fail where two rules meet, in what they show: no rule about one of them notices.
  static let meeting: [Saboteur] =
    statesOfNow + [
      Saboteur("finds transactions by the entity of their first change", machine) {
        .finding { $0.changes.first.map { [$0.identifier.entityName] } ?? [] }
      },
      Saboteur("does not find transactions by the entity of a deletion", "HIST-007") {
        .finding { transaction in
          Set(transaction.changes.filter { $0.kind != .delete }.map(\.identifier.entityName))
        }
      },
      Saboteur("always sorts times in ascending order", machine) {
        var alterations = Alterations()
        alterations.transactions = { store, query in
          var query = query
          query.order = query.order.map { $0.column == .timestamp ? .init(.timestamp) : $0 }
          return try store.transactions(query)
        }
        return alterations
      },
      Saboteur("moves the cut of the history back", machine) {
        let cut = Shared<Int64?>(nil)
        var alterations = Alterations()
        alterations.deleteTransactions = { store, filter in
          let last = try store.transactions(StoreHistoryQuery(filter: filter)).last?.number
          try store.deleteTransactions(filter)
          cut.withLock { $0 = last ?? $0 }
        }
        alterations.erase = { store in
          cut.withLock { $0 = nil }
          try store.erase()
        }
        alterations.historyBounds = {
          HistoryBounds(
            cut: cut.value ?? $0.cut,
            last: $0.last,
            cutSave: $0.cutSave,
            lastSave: $0.lastSave
          )
        }
        return alterations
      },
      Saboteur("returns the save before a position in the history", machine) {
        var alterations = Alterations()
        alterations.saveIdentifier = { store, number in
          try store.saveIdentifier(at: max(number - 1, store.historyBounds().cut))
        }
        return alterations
      },
      Saboteur("compares strings that a producer wrote by their bytes", machine) {
        let written = Shared<Set<[UInt8]>>([])
        var alterations = Alterations.seeing(.filters, constants: false) { value in
          value.text { written.value.contains(Array($0.utf8)) ? $0 + "\u{301}" : $0 }
        }
        alterations.apply = { store, changes in
          for run in changes.insertions where !run.needsNames {
            for case .string(let text) in run.records.flatMap(\.values)
            where !text.utf8.elementsEqual(text.precomposedStringWithCanonicalMapping.utf8) {
              written.withLock { _ = $0.insert(Array(text.utf8)) }
            }
          }
          return try store.apply(changes)
        }
        return alterations
      },
      Saboteur("takes empty strings in single rows for nil", machine) {
        var alterations = Alterations()
        alterations.row = { store, query, body in
          try store.read(query) { try body(CarelessReader($0)) }
        }
        return alterations
      },
      Saboteur("moves all readers that are behind the one that moves", machine) {
        var alterations = Alterations()
        alterations.setHistoryReader = { store, position in
          for reader in try store.historyReaders() where reader.number < position.number {
            try store.setHistoryReader(
              HistoryReaderPosition(
                name: reader.name,
                number: position.number,
                save: position.save,
                timestamp: position.timestamp
              )
            )
          }
          try store.setHistoryReader(position)
        }
        return alterations
      },
      Saboteur("takes merges for the program's in a save that deletes rows", machine) {
        .reportingChanges { changes in
          guard changes.contains(where: { $0.kind == .delete }) else { return changes }
          return changes.map { change in
            change.cause == .merge
              ? StoreChange(change.kind, change.identifier, properties: change.properties) : change
          }
        }
      },
      Saboteur("shows no lists of the third level by the name of the second", machine) {
        var alterations = Alterations()
        alterations.members = { store, property, entity, owners in
          let schema = store.schema.storeSchema
          let found = try store.members(of: property, in: entity, owners: owners)
          guard schema.entity(named: entity)?.superentity != nil else { return found }
          let own = Set(
            try store.identifiers(StoreQuery(entity: entity, includesSubentities: false))
              .map(\.key)
          )
          return found.reduce(into: [:]) { $0[$1.key] = own.contains($1.key.key) ? $1.value : [] }
        }
        return alterations
      },
      Saboteur("keeps a closed range for a later half-open one", machine) {
        let closed = Shared<Set<QueryExpression>>([])
        return .understanding { expression in
          guard case .isInRange(let value, let lower, let upper, let isClosed) = expression else {
            return expression
          }
          let wasClosed = closed.withLock { seen in
            if isClosed { seen.insert(value) }
            return seen.contains(value)
          }
          return .isInRange(value, lower: lower, upper: upper, closed: wasClosed)
        }
      },
      Saboteur("rounds fractions that it compares with integers without an index", machine) {
        .asking { query in
          var query = query
          if ["Item", "Tool", "Drill"].contains(query.entity) {
            query.filter = query.filter.map(\.withRoundedCounts)
          }
          return query
        }
      },
      Saboteur(
        "reads a member named $double as a number after reopening",
        "RANDOM-401",
        over: Fixtures.JSON()
      ) {
        .reopened { isReopened in
          .giving { rows, _, _ in
            guard isReopened() else { return rows }
            return rows.map { row in
              row.changing { _, value in value.member("$double") == nil ? value : .double(.nan) }
            }
          }
        }
      },
      Saboteur("reports the last of several saves", "CONC-017", over: Fixtures.SQLiteFile()) {
        .watchingLast
      },
      Saboteur("reports the last of several saves of its own", machine, over: Fixtures.SQLiteFile())
      { .watchingLast },
      Saboteur("sorts long strings by their beginnings", "SORT-011") {
        .giving { rows, _, query in
          guard rows.count > 1_000, let term = query.sort.first else { return rows }
          return rows.sorted { first, second in
            let order = StoreValue.sortOrder(
              first.beginning(of: term),
              second.beginning(of: term)
            )
            let ties = first.persistentIdentifier < second.persistentIdentifier
            return order == 0 ? ties : (order < 0) != term.isReversed
          }
        }
      },
    ]

  /// Those of which one kind of request leaves the state that the others read.
  private static let statesOfNow: [Saboteur] = [
    Saboteur("reads lists of the state of now", machine) {
      var alterations = Alterations()
      alterations.members = { store, property, entity, owners in
        try elsewhere { try store.members(of: property, in: entity, owners: owners) }
      }
      return alterations
    },
    Saboteur("reads rows of the second entity from the state of now", machine) {
      let first = Shared<String?>(nil)
      var alterations = Alterations()
      alterations.oneState = { store, body in
        first.withLock { $0 = nil }
        try store.readingOneState(body)
      }
      alterations.fetch = { store, query in
        let isFirst = first.withLock { name in
          name = name ?? query.entity
          return name == query.entity
        }
        return isFirst ? try store.fetch(query) : try elsewhere { try store.fetch(query) }
      }
      return alterations
    },
  ]

  /// Runs a body on another thread, which reads no held state.
  private static func elsewhere<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) throws -> Result {
    let result = Shared<Result?>(nil)
    try ConcurrencyRules.onThreads(1) { _ in
      let found = try body()
      result.withLock { $0 = found }
    }
    guard let found = result.value else { throw DataStoreError(.invalidValue, "no result") }
    return found
  }
}

extension Alterations {
  /// Finds transactions by other entities than those of all changes.
  fileprivate static func finding(
    _ entities: @escaping @Sendable (StoreTransaction) -> Set<String>
  ) -> Alterations {
    var alterations = Alterations()
    alterations.transactions = { store, query in
      let all = try store.transactions(StoreHistoryQuery())
      return query.evaluate(over: all.map { FoundTransaction(base: $0, entities: entities($0)) })
        .map(\.base)
    }
    return alterations
  }

  /// Has a watch that reports only the last of the saves.
  fileprivate static var watchingLast: Alterations {
    var alterations = Alterations()
    alterations.watch = { try $0.watch().map(LastSaveWatch.init) }
    return alterations
  }
}

private struct FoundTransaction: HistoryColumns {
  let base: StoreTransaction
  let entities: Set<String>

  var number: Int64 { base.number }
  var timestamp: Date { base.timestamp }
  func text(_ text: StoreHistoryFilter.Text) -> String? { base.text(text) }
  func changes(anyOf names: Set<String>) -> Bool { !entities.isDisjoint(with: names) }
}

/// A reader for which strings without characters are no values.
private final class CarelessReader: RowReader {
  private let base: RowReader

  init(_ base: RowReader) {
    self.base = base
    super.init(entity: base.entity)
    identifier = base.identifier
  }

  override var version: Int64 { base.version }
  override func isDeferred(at index: Int) -> Bool { base.isDeferred(at: index) }
  override func value(at index: Int) throws -> StoreValue { try base.value(at: index) }

  override func isNull(at index: Int) throws -> Bool {
    let value = try base.value(at: index)
    return value.isNull || value == .string("")
  }
}

private struct LastSaveWatch: StoreWatch {
  let base: any StoreWatch

  init(_ base: any StoreWatch) { self.base = base }

  var file: URL? { base.file }

  func newSaves() throws -> ClosedRange<Int64>? {
    try base.newSaves().map { $0.upperBound...$0.upperBound }
  }
}

extension QueryExpression {
  /// The expression with whole numbers where `Item.count`, which no index begins with, is compared.
  fileprivate var withRoundedCounts: QueryExpression {
    guard case .compare(let comparison, .row("count"), .constant(.double(let number))) = self else {
      return replacingChildren(children.map(\.withRoundedCounts))
    }
    return .compare(comparison, .row("count"), .constant(.double(number.rounded())))
  }
}

extension DefaultSnapshot {
  /// The first characters of a string by which rows are sorted.
  fileprivate func beginning(of term: QuerySort) -> StoreValue {
    guard case .property(.element(0), let name) = term.value else { return .null }
    return (self[name] ?? .null).text { String($0.prefix(100)) }
  }
}
