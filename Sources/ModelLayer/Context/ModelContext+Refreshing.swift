import StoreProtocol

extension ModelContext {
  /// Reads an object's row again.
  ///
  /// When this method returns, the object has what is stored, and its relationships are loaded anew
  /// when they are next read. Its unsaved changes are laid over that, or dropped; a save under any
  /// merge policy takes what was read now for what the program has seen. An object whose row is
  /// gone vanishes with its unsaved changes, and keeps its last values. A new object stays as it
  /// is.
  ///
  /// - Parameters:
  ///   - model: An object of this context.
  ///   - mergeChanges: Whether unsaved changes stay; without them a deletion is taken back too.
  /// - Returns: Whether the object has a row, or is new.
  /// - Throws: ``SwiftDataError/missingModelContext`` for an object of no context or of another, and
  ///   what the store throws; the object is then as it was.
  @discardableResult
  public func refresh<T: PersistentModel>(
    _ model: T,
    mergeChanges: Bool = true
  ) throws -> Bool {
    try state.refresh(model, mergeChanges: mergeChanges)
  }

  /// Reads the rows of all objects of the context again, in one query an entity.
  ///
  /// What ``refresh(_:mergeChanges:)`` says of one object holds for each.
  ///
  /// - Parameter mergeChanges: Whether unsaved changes of saved objects stay.
  /// - Throws: What a store throws; some objects are then refreshed.
  /// - Complexity: O(*n*) rows, where *n* is the number of objects that the context knows.
  public func refreshAll(mergeChanges: Bool = true) throws {
    try state.refreshAll(mergeChanges: mergeChanges)
  }

  /// Forgets all objects, and all changes that were not saved.
  ///
  /// The objects leave the context and keep the values of their attributes; their relationships
  /// read as absent. Objects that were saved are then detached, others transient
  /// (``LifeCycle``). A fetch makes new objects.
  public func reset() {
    state.reset()
  }
}
