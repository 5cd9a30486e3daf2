import Dispatch

/// An executor that runs work on a context serially, on a queue of its own.
///
/// The work never runs on the main queue, wherever the actor was created, unless the context is its
/// container's ``ModelContainer/mainContext``: work on this one always runs on the main queue.
// Unchecked: the context is reached from the executor's queue only.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
  /// The context.
  public let modelContext: ModelContext
  private let queue: DispatchQueue

  /// Creates an executor for a context that no other code uses, or for the main context.
  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
    if modelContext.state.isMain {
      queue = .main
    } else {
      queue = DispatchQueue(label: "ModelActor")
      modelContext.state.isolation = .marked(queue)
    }
  }

  /// Stops the program if the calling code does not run on this executor.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// Runs a piece of work after those that were enqueued before it.
  public func enqueue(_ job: consuming ExecutorJob) {
    let work = UnownedJob(job)
    queue.async { work.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// A reference for the actors that run on this executor.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}
