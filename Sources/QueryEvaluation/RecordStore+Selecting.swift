import StoreProtocol

extension RecordStore {
  /// Computes the values over the records of the rows.
  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try evaluation.select(selection, from: fetch(selection.rowQuery), body)
  }

  /// An evaluator for the parts that the store leaves, over its records.
  package var evaluation: RecordEvaluation {
    RecordEvaluation(
      schema: schema.storeSchema,
      records: { try self.fetch(.rows($0, of: $1)) },
      members: { try self.members(of: $0, in: $1, owners: $2) }
    )
  }
}
