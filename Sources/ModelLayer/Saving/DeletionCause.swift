import StoreProtocol

/// The reason for which an object is marked for deletion.
enum DeletionCause {
  /// The program deletes it.
  case program
  /// A delete rule of a deleted object.
  case rule(of: any PersistentModel)
  /// The program deletes a new object that a fetch returned in place of this one.
  case successor(any PersistentModel)
}
