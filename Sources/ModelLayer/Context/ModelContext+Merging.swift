extension ModelContext {
  /// The rule for a save of this context that conflicts with another save.
  ///
  /// The default is ``MergePolicy/mergeByProperty``.
  public var mergePolicy: MergePolicy {
    get { state.saver.mergePolicy }
    set {
      state.saver.mergePolicy = newValue
      // Rows that the store changes itself are not compared.
      if newValue.needsVersions { try? BulkChanges(in: state).carryOut() }
    }
  }

  /// A Boolean value that determines whether unique values of new objects must not be stored
  /// already.
  ///
  /// If `false`, as in a new context, a new object with the unique values of a stored one updates
  /// it. If `true`, the save throws ``DataStoreError/uniqueConflict`` and stores nothing. The error
  /// has the identifier of the stored object in ``DataStoreError/identifiers``.
  public var requiresNewObjects: Bool {
    get { state.saver.requiresNewObjects }
    set { state.saver.requiresNewObjects = newValue }
  }
}
