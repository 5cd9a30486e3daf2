extension ModelContext {
  /// The rule for a save of this context that conflicts with another save.
  ///
  /// The default is ``MergePolicy/mergeByProperty``.
  public var mergePolicy: MergePolicy {
    get { state.mergePolicy }
    set { state.mergePolicy = newValue }
  }

  /// A Boolean value that indicates whether a new object must not have the unique values of a stored one.
  ///
  /// While it is `false`, as in a new context, such an object updates the stored one. While it is `true`,
  /// saves throw ``DataStoreError/uniqueConflict`` instead, which has the identifier of the stored object
  /// in ``DataStoreError/identifiers``, and nothing is stored.
  public var requiresNewObjects: Bool {
    get { state.requiresNewObjects }
    set { state.requiresNewObjects = newValue }
  }
}
