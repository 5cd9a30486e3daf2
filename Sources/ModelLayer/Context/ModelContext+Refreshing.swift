import StoreProtocol

extension ModelContext {
  /// Reads an object's row again.
  ///
  /// When this method returns, the object has the stored values, and its relationships are loaded
  /// again when they are next read. Its unsaved changes are kept above them, or dropped. Under any
  /// merge policy, a save treats the values read now as those that the program has seen. An object
  /// whose row no longer exists vanishes with its unsaved changes, and keeps its last values. A new
  /// object is unchanged.
  ///
  /// - Parameters:
  ///   - model: An object of this context.
  ///   - mergeChanges: Whether unsaved changes are kept. Otherwise a deletion is reverted too,
  ///     except for what its delete rules did to other objects.
  /// - Returns: Whether the object has a row, or is new.
  /// - Throws: ``SwiftDataError/missingModelContext`` for an object of no context or of another,
  ///   and errors of the store; the object is then unchanged.
  @discardableResult
  public func refresh<T: PersistentModel>(
    _ model: T,
    mergeChanges: Bool = true
  ) throws -> Bool {
    try state.loader.refresh(model, mergeChanges: mergeChanges)
  }

  /// Reads the rows of all objects of the context again, in one query per entity.
  ///
  /// Each object is refreshed as by ``refresh(_:mergeChanges:)``.
  ///
  /// - Parameter mergeChanges: Whether unsaved changes of saved objects are kept.
  /// - Throws: Errors of a store; some objects are then refreshed.
  /// - Complexity: O(*n*) rows, where *n* is the number of registered objects of the context.
  public func refreshAll(mergeChanges: Bool = true) throws {
    try state.loader.refreshAll(mergeChanges: mergeChanges)
  }

  /// Drops all objects, and all unsaved changes.
  ///
  /// The objects leave the context and keep the values of their attributes; their relationships
  /// read as absent. Objects that were saved are then detached, others transient (``LifeCycle``). A
  /// fetch creates new objects.
  public func reset() {
    state.reset()
  }
}
