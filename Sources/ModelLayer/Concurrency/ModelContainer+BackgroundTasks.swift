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
  /// Saves wait for each other, for the disk, and for other processes that write. Swift's thread
  /// pool has only as many threads as the processor has cores. If saves wait on all of them, no
  /// other task of the program runs, not even one that needs no store. Save with this method in the
  /// handlers of a server and in other asynchronous code. Fetches from files wait for no other work
  /// and may run anywhere; fetches from a server wait for its response, and belong in such a task.
  ///
  /// Bodies begin in the order of the calls. Two threads run body after body while they are short, or
  /// 16 if a store is remote (``StoreCapabilities/isRemote``). While one of them waits for the save of
  /// another body, a further one runs in its place, so that many saves wait together and are written at
  /// once. After saves that were written at once, the next save lets bodies come first that need nothing
  /// but a thread, for at most 2 milliseconds. If none begins for 20 milliseconds, another thread joins, so
  /// that no body waits long for slow ones.
  ///
  /// A body may also save a context that its caller has prepared and uses no more. Then only the save
  /// waits for its turn:
  ///
  /// ```swift
  /// let prepared = ModelContext(container)
  /// let trip = try prepared.upsert(snapshot)
  /// let id = try await container.performBackgroundTask { _ in
  ///   try prepared.save()
  ///   return trip.persistentModelID
  /// }
  /// ```
  ///
  /// The context ends with its body: unsaved changes are lost. The body has the task-local values of
  /// the calling task, such as the span of a trace. A task that was canceled before its body began
  /// throws `CancellationError`; a body that has begun is completed.
  ///
  /// - Parameter body: The work; it returns values, identifiers or snapshots, not objects.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body.
  public func performBackgroundTask<Value: Sendable>(
    _ body: sending @escaping (ModelContext) throws -> Value
  ) async throws -> Value {
    // Unchecked: the body was sent, and only the thread of its turn uses it.
    nonisolated(unsafe) let body = body
    return try await core.backgroundTasks.run {
      try Task.checkCancellation()
      return try body(ModelContext(self))
    }
  }
}
