/// The functions of the model runtime that the contract needs where it has model types only.
///
/// Each model type provides them (``PersistentModel/_$runtime``), so that a store needs neither the
/// layout of objects nor the translation of predicates.
public protocol _ModelRuntime {
  /// Translates a fetch into a query.
  ///
  /// - Throws: `SwiftDataError` with the part that stores do not support.
  static func query<T: PersistentModel>(
    of descriptor: FetchDescriptor<T>,
    schema: Schema
  ) throws -> StoreQuery

  /// Returns the typed changes of a transaction, without those of entities for which the schema has
  /// no model type.
  static func historyChanges(of plain: StoreTransaction, schema: Schema) -> [HistoryChange]
}
