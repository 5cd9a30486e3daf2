import StoreFiles
import StoreProtocol

extension StoreCore {
  func loadedState() throws -> StoreState {
    var state = try currentState()
    try state.loadAll(file: path)
    return state
  }

  /// Replaces the document by one with other rows and another schema, and closes the store.
  ///
  /// - Parameter change: A closure that creates the rows and the schema from the existing ones, and
  ///   makes everything else that they need durable.
  /// - Throws: The errors of `change`; the store then remains open and unchanged. The errors of the
  ///   system.
  func replace(
    _ change: (StoreState) throws -> (state: StoreState, schema: StoreSchema)
  ) throws {
    try inner.withLock { inner in
      guard inner.files != nil else { throw StoreErrors.closed(path) }
      guard configuration.allowsSave else { throw StoreErrors.readOnly(path) }
      if inner.unresolvedFailure != nil {
        throw StoreErrors.notBegun(path, cause: StoreErrors.closed(path))
      }
      try inner.files?.checkFiles()
      try inner.state.loadAll(file: path)
      let made = try change(inner.state)
      let schema = try made.schema.text()
      let draft = DocumentDraft(made.state, store: identifier, schema: schema, configuration)
      do throws(ReplacementError) {
        try inner.files?.replaceDocument(by: draft)
      } catch {
        // The document is the old or the new one, both intact: the next open determines which.
        if case .unknown = error { inner.files = nil }
        throw StoreErrors.translated(error.cause)
      }
      inner.files = nil
    }
  }
}
