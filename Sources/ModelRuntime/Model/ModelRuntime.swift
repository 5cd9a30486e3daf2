import StoreProtocol

extension PersistentModel {
  /// The functions of the model runtime that the contract calls; for the engine only.
  public static var _$runtime: any _ModelRuntime.Type { Runtime.self }
}

/// The implementation for all models.
private enum Runtime: QueryRuntime, HistoryRuntime {
  static func query<T: PersistentModel>(
    of descriptor: FetchDescriptor<T>,
    schema: Schema,
    store: String
  ) throws -> StoreQuery {
    try StoreQuery(descriptor, in: .init(schema, store: store))
  }

  static func historyChanges(of plain: StoreTransaction, schema: Schema) -> [HistoryChange] {
    HistoryBuilder.changes(of: plain, schema: schema)
  }
}
