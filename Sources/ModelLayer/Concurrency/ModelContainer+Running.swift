extension ModelContainer {
  /// Waits until the task is canceled, and then closes the stores.
  ///
  /// This is the shape of a service of swift-service-lifecycle. A graceful shutdown of a group ends its
  /// services one after the other, in the reverse order of their start: list the container before the
  /// services that use it. A group that is canceled cancels all its services at once, so that requests
  /// that begin later throw ``DataStoreError/storeClosed``.
  ///
  /// ```swift
  /// struct StoreService: Service {
  ///   let container: ModelContainer
  ///
  ///   func run() async throws {
  ///     try await cancelWhenGracefulShutdown { try await container.run() }
  ///   }
  /// }
  /// ```
  ///
  /// Requests in progress are completed first; see ``close()``.
  ///
  /// - Throws: Errors of closing the stores, but not that the task was canceled.
  public func run() async throws {
    // A stream without elements ends when the task is canceled.
    let cancellation = AsyncStream<Never> { _ in }
    for await _ in cancellation {}
    try await core.backgroundTasks.run { try close() }
  }
}
