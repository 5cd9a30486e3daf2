import Dispatch
import StoreProtocol

extension ModelContainer {
  /// Runs a body with a context of its own on a thread that may wait, and returns its result.
  ///
  /// ```swift
  /// let id = try await container.performBackgroundTask { context in
  ///   let trip = Trip(name: "Alps")
  ///   context.insert(trip)
  ///   try context.save()
  ///   return trip.persistentModelID
  /// }
  /// ```
  ///
  /// Saves wait for each other, for the disk, and for other processes that write. Swift's own threads
  /// are as few as the processor's cores: where saves wait on all of them, nothing else in the program
  /// runs, not even what needs no store. Save with this method in the handlers of a server and in other
  /// asynchronous code. Fetches of files wait for nobody and may be made anywhere.
  ///
  /// Bodies run side by side and in no order. The context ends with its body: what was not saved is
  /// lost. A task that was cancelled before its body began throws `CancellationError`; a body that has
  /// begun is completed.
  ///
  /// - Parameter body: What to do; it returns values, identifiers or snapshots, not objects.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public func performBackgroundTask<Value: Sendable>(
    _ body: @escaping @Sendable (ModelContext) throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let environment = StoreEnvironment.current
    return try await withCheckedThrowingContinuation { continuation in
      // A queue of its own has a thread of its own, as those of model actors have: a shared concurrent
      // queue has as few threads as Swift's tasks.
      DispatchQueue(label: "ModelContainer.performBackgroundTask").async {
        continuation.resume(
          with: Result {
            try StoreEnvironment.$current.withValue(environment) { try body(ModelContext(self)) }
          }
        )
      }
    }
  }
}
