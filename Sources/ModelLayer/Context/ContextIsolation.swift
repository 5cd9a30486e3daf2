import Dispatch
import Foundation

/// The isolation that a context belongs to, as far as it can be re-entered.
///
/// A way back is taken only from within the isolation. The current queue is looked up each time,
/// since a context may be sent to another isolation after it was created. For actors, the type
/// system ensures that the isolation is the right one.
enum ContextIsolation {
  /// The isolation is unknown, or cannot be re-entered.
  case unknown
  /// A queue: the main one, or that of an actor's executor.
  case queue(DispatchQueue)
  /// An actor with an executor of its own.
  case actor(WeakActor)

  /// The main actor, whose work runs on the main queue, though not always on the main thread.
  static let mainActor = marked(mainQueue)
  // Each `DispatchQueue.main` may be a different object for the one queue.
  private static let mainQueue = DispatchQueue.main
  private static let mark = DispatchSpecificKey<ObjectIdentifier>()

  /// Returns the home of a queue, which it marks so that code can detect that it runs there.
  static func marked(_ queue: DispatchQueue) -> ContextIsolation {
    queue.setSpecific(key: mark, value: ObjectIdentifier(queue))
    return .queue(queue)
  }

  /// Creates the home of an isolation.
  init(_ isolation: any Actor) {
    self = isolation === MainActor.shared ? .mainActor : .actor(WeakActor(isolation))
  }

  /// Whether this is the main actor.
  var isMain: Bool {
    guard case .queue(let queue) = self else { return false }
    return queue === Self.mainQueue
  }

  /// Whether the current code runs in this isolation.
  var isHere: Bool {
    switch self {
    case .unknown: false
    case .queue(let queue): DispatchQueue.getSpecific(key: Self.mark) == ObjectIdentifier(queue)
    case .actor(let reference): reference.actor != nil
    }
  }

  /// Plans a piece of work for the isolation's next turn.
  ///
  /// - Parameters:
  ///   - context: The context, which is not kept.
  ///   - handle: A context to be kept until the work is done, if any.
  ///   - work: The work, which runs if the context still exists by then.
  /// - Returns: Whether the work could be planned.
  func plan(
    _ context: ContextState,
    keeping handle: ModelContext? = nil,
    _ work: @escaping @Sendable (ContextState) -> Void
  ) -> Bool {
    guard isHere, let schedule = turnScheduler(of: context, keeping: handle, work) else {
      return false
    }
    schedule()
    return true
  }

  /// Returns a function by which code on any thread runs work on a context at the isolation's next
  /// turn.
  ///
  /// The function keeps neither context nor actor, unless a handle is given.
  ///
  /// - Returns: The function, or `nil` if the isolation cannot be re-entered.
  func turnScheduler(
    of context: ContextState,
    keeping handle: ModelContext? = nil,
    _ work: @escaping @Sendable (ContextState) -> Void
  ) -> (@Sendable () -> Void)? {
    let handoff = ContextHandoff(context, keeping: handle)
    switch self {
    case .unknown:
      return nil
    case .queue(let queue):
      return { queue.async { handoff.context.map(work) } }
    case .actor(let reference):
      return {
        guard let actor = reference.actor else { return }
        Task { await Self.visit(actor, handoff, work) }
      }
    }
  }

  private static func visit(
    _ actor: isolated any Actor,
    _ handoff: ContextHandoff,
    _ work: @Sendable (ContextState) -> Void
  ) async {
    handoff.context.map(work)
  }

  /// Runs a piece of work on the main actor with a context that has no other owner.
  static func runOnMain(
    _ context: ContextState,
    _ work: @escaping @Sendable (ContextState) -> Void
  ) {
    // Unsafe: the context has ended and waits for the main actor, to which its objects belong.
    nonisolated(unsafe) let context = context
    mainQueue.async { work(context) }
  }
}

/// A reference to an actor that does not keep it.
struct WeakActor {
  private(set) weak var actor: (any Actor)?

  init(_ actor: any Actor) {
    self.actor = actor
  }
}

/// A weak reference to a context on its way from its isolation back to its isolation.
///
/// Unchecked: it is created and read only in the context's isolation.
final class ContextHandoff: @unchecked Sendable {
  private(set) weak var context: ContextState?
  private let handle: ModelContext?

  init(_ context: ContextState, keeping handle: ModelContext? = nil) {
    self.context = context
    self.handle = handle
  }

  /// Whether the context has ended.
  var isGone: Bool { context == nil }
}
