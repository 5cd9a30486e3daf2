import StoreProtocol

/// An observer of the changes of one context, which keeps results up to date.
protocol ContextObserver: AnyObject {
  /// The saves of other contexts that the observer has not processed.
  var box: ChangeInbox { get }
  /// Notes that a property is about to change.
  func noteChange(of model: any PersistentModel, at index: Int)
  /// Notes that an object has other values than before.
  func noteChange(of model: any PersistentModel)
  /// Notes that an object is added or removed.
  func noteMembershipChange(of model: any PersistentModel)
  /// Notes that something changed in some hierarchies.
  func noteOthers(of changed: Set<String>)
  /// Notes that anything may have changed.
  func noteEverything()
  /// Notes that the context saved, with the changes if they are listed.
  func contextSaved(_ changes: SavedChanges?)
  /// Updates the results.
  func turn()
}
