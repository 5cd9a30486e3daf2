import Foundation
import StoreProtocol

/// The history of a ``ContractModel``, as a list.
struct ContractHistory {
  /// The change of one row in a save.
  struct Change {
    var kind: StoreChange.Kind
    let row: PersistentIdentifier
    var properties: [String] = []
    var cause = StoreChange.Cause.program
    var cleared: [String] = []
    /// The preserved value of a deleted row.
    var kept: StoreValue = .null
    /// Whether the row has the version of the save; a row that only loses a reference may.
    var isOwn = true

    /// The change as text; the contract leaves open which properties a merge names.
    var text: String {
      let names = cause == .merge ? "" : " \(properties.sorted()) cleared \(cleared.sorted())"
      let value = kept.isNull ? "" : " kept \(SwiftSource.text(kept))"
      return "\(kind.rawValue) \(row) \(cause.rawValue)\(kind == .update ? names : "")\(value)"
    }
  }

  /// A save.
  struct Transaction: HistoryColumns {
    let number: Int64
    let save: UUID
    let timestamp: Date
    let author: String?
    let changes: [Change]

    func text(_ text: StoreHistoryFilter.Text) -> String? { text == .author ? author : nil }

    func changes(anyOf entities: Set<String>) -> Bool {
      changes.contains { entities.contains($0.row.entityName) }
    }
  }

  /// The transactions that are not deleted.
  private(set) var transactions: [Transaction] = []
  /// The number up to which transactions may be deleted.
  private(set) var cut: Int64 = 0
  /// The identifier of the save at the cut.
  private(set) var cutSave: UUID?
  /// The positions of readers by name.
  var readers: [String: HistoryReaderPosition] = [:]
  /// The numbers of all saves with transactions, deleted or not.
  private(set) var saves: [Int64] = []

  mutating func append(_ transaction: Transaction) {
    transactions.append(transaction)
    saves.append(transaction.number)
  }

  /// Deletes transactions; the cut only moves forward.
  mutating func delete(_ filter: StoreHistoryFilter) {
    guard let last = transactions.last(where: { filter.matches($0) }) else { return }
    transactions.removeAll { filter.matches($0) }
    if last.number >= cut { (cut, cutSave) = (last.number, last.save) }
  }

  /// Begins without transactions, at the cut of a store.
  mutating func begin(at bounds: HistoryBounds) {
    transactions = []
    (cut, cutSave) = (bounds.cut, bounds.cutSave)
  }

  /// Returns the identifier of the last save at or before a number, which is not below the cut.
  func save(at number: Int64) -> UUID? {
    transactions.last { $0.number > cut && $0.number <= number }?.save ?? cutSave
  }

  /// Returns the position of a reader at a save of the case, or `nil` if there is no such save.
  func position(_ name: String, at save: Int?) -> HistoryReaderPosition? {
    guard let save, saves.indices.contains(save) else { return nil }
    return HistoryReaderPosition(
      name: name,
      number: saves[save],
      save: transactions.first { $0.number == saves[save] }?.save,
      timestamp: Date(timeIntervalSinceReferenceDate: 700_000_000)
    )
  }
}

extension ContractModel {
  /// Returns the changes of a batch, one for each row.
  func changes(
    to after: ContractModel,
    _ effect: Effect,
    _ batch: MachineBatch
  ) -> [ContractHistory.Change] {
    let cascaded = Set(batch.cascaded.map(row))
    return Set(rows.keys).union(after.rows.keys).sorted().compactMap { number in
      switch (rows[number], after.rows[number]) {
      case (nil, let new?): return ContractHistory.Change(kind: .insert, row: new.identifier)
      case (let old?, nil):
        return ContractHistory.Change(
          kind: .delete,
          row: old.identifier,
          cause: cascaded.contains(number) && !effect.bulkDeleted.contains(number)
            ? .deleteRule : .program,
          kept: old.values["kept"] ?? .null
        )
      case (let old?, let new?):
        return update(old, new, number, effect, Set(batch.cleared[number] ?? []))
      case (nil, nil): return nil
      }
    }
  }

  private func update(
    _ old: Row,
    _ new: Row,
    _ number: Int64,
    _ effect: Effect,
    _ cleared: Set<String>
  ) -> ContractHistory.Change? {
    let named = effect.named[number] ?? []
    // An order that loses a row is no change.
    let lost = old.entity.properties.filter { property in
      !property.isDerivedToMany && !named.contains(property.name)
        && old.values[property.name] != new.values[property.name]
    }
    guard !named.isEmpty || !lost.isEmpty else { return nil }
    let byRules = Set(lost.map(\.name)).union(cleared.intersection(named))
    let all = named.union(byRules)
    var change = ContractHistory.Change(kind: .update, row: old.identifier, properties: Array(all))
    change.isOwn = !named.isEmpty
    if effect.mergedRows.contains(number) || effect.detached.contains(number) {
      change.cause = .merge
    } else {
      change.cause = all == byRules ? .deleteRule : .program
      change.cleared = Array(byRules)
    }
    return change
  }
}
