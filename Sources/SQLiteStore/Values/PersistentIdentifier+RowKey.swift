import StoreProtocol

extension PersistentIdentifier {
  /// The key of the row, nil for an identifier that no row of this kind of store has.
  ///
  /// Never inlined: where the optimiser of Swift 6.3 inlines `integerKey` and the identifier is
  /// used afterwards, it ends the identifier's life too early and stops with an error.
  @inline(never)
  var rowKey: Int64? { integerKey }
}
