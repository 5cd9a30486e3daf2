extension ModelContainer {
  /// Waits until the task is canceled, and then closes the stores.
  ///
  /// This is the shape of a service of swift-service-lifecycle. A service group cancels its services,
  /// or begins a graceful shutdown, in the reverse order of their start: list the container before the
  /// services that use it.
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
