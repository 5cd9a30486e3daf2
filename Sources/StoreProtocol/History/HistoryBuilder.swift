import Foundation

/// The part of the model runtime that knows the types of changes.
package protocol HistoryRuntime: _ModelRuntime {
  /// Returns the typed changes of a transaction, without those of entities for which the schema has
  /// no model type.
  static func historyChanges(of plain: StoreTransaction, schema: Schema) -> [HistoryChange]
}

/// Creates the typed transactions of programs from plain ones.
///
/// Changes of entities for which the schema has no model are left out, because there is no type to
/// represent them. ``HistoryKeeping/transactions(_:)`` returns them.
package struct HistoryBuilder: Sendable {
  private let schema: Schema
  private let store: String

  /// Creates a maker for the history of a store.
  package init(schema: Schema, store: String) {
    self.schema = schema
    self.store = store
  }

  /// Returns the typed form of a transaction.
  package func transaction(_ plain: StoreTransaction) -> DefaultHistoryTransaction {
    DefaultHistoryTransaction(plain, of: store) {
      let runtime = schema.modelTypes.values.first?._$runtime as? any HistoryRuntime.Type
      return runtime?.historyChanges(of: plain, schema: schema) ?? []
    }
  }

  /// The number of a change: 2³¹ times the number of its save, plus its index in the save.
  ///
  /// The number increases within the store without a separate counter, for up to two billion saves.
  package static func number(ofChange index: Int, in save: Int64) -> Int64 {
    (save &<< 31) &+ Int64(index)
  }
}
