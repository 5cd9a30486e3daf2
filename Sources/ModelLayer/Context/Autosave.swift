import Foundation
import StoreProtocol

/// Saves a context some time after its first change, without being asked to.
///
/// Only the main actor can be come back to from outside, so that autosave works for a container's
/// main context. What a failed autosave throws is posted, and the changes stay.
final class Autosave {
  /// Whether the context belongs to the main actor.
  var isOnMainActor = false
  private var isScheduled = false

  /// Plans one save for all changes until it comes.
  func schedule(for context: ContextState) {
    guard !isScheduled, isOnMainActor else { return }
    isScheduled = true
    let bound = MainBound(context)
    DispatchQueue.main.async {
      guard let context = bound.context else { return }
      context.autosave.isScheduled = false
      context.autosave.run(context)
    }
  }

  private func run(_ context: ContextState) {
    guard context.autosaveEnabled, context.hasChanges else { return }
    do {
      try context.save()
    } catch {
      NotificationCenter.default.post(
        name: ModelContext.autosaveFailed,
        object: context.handle,
        userInfo: ["error": error]
      )
    }
  }
}

/// A context on its way from the main actor to the main actor.
private final class MainBound: @unchecked Sendable {
  // Unchecked: made on the main actor and looked into on the main actor alone.
  private(set) weak var context: ContextState?

  init(_ context: ContextState) {
    self.context = context
  }
}
