import StoreProtocol

/// The part of a save for a bulk change that is left to a store.
enum BulkEffect {
  /// A change that the store makes.
  case change(BulkChange)
  /// New values that depend on the rows, as they were when the program made the change.
  case values([StoreUpdate])
}
