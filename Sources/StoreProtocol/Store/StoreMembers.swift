/// The related objects that a store returns for to-many relationships of rows.
public enum StoreMembers: Sendable {
  /// The related objects in order, with one entry for each owner that exists.
  ///
  /// The owners have the identifiers by which they were requested, which may name a superentity of the
  /// row's entity.
  case listed([PersistentIdentifier: [PersistentIdentifier]])
  /// The store has read all related rows; the stored orders are those of the owners that have one.
  case read(orders: [Int64: [Int64]])
}
