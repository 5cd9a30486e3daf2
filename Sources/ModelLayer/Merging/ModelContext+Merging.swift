extension ModelContext {
  /// What a save of this context does when another came first; ``MergePolicy/mergeByProperty``
  /// unless set.
  public var mergePolicy: MergePolicy {
    get { state.mergePolicy }
    set { state.mergePolicy = newValue }
  }
}
