import Foundation
import StoreProtocol

/// Saves a context some time after its first change, without being asked to.
///
/// Only the main thread can be come back to from outside, so that autosave works for a container's
/// main context. What a failed autosave throws is posted, and the changes stay.
final class Autosave {
  private var isScheduled = false

  /// Plans one save for all changes until it comes.
  func schedule(for context: ModelContext) {
    guard !isScheduled, Thread.isMainThread else { return }
    isScheduled = true
    let bound = MainBound(context)
    DispatchQueue.main.async {
      guard let context = bound.context else { return }
      context.autosave.isScheduled = false
      context.autosave.run(context)
    }
  }

  private func run(_ context: ModelContext) {
    guard context.autosaveEnabled, context.hasChanges else { return }
    do {
      try context.save()
    } catch {
      NotificationCenter.default.post(
        name: ModelContext.autosaveFailed,
        object: context,
        userInfo: ["error": error]
      )
    }
  }
}

/// A context on its way from the main thread to the main thread.
private final class MainBound: @unchecked Sendable {
  // Unchecked: made on the main thread and looked into on the main thread alone.
  private(set) weak var context: ModelContext?

  init(_ context: ModelContext) {
    self.context = context
  }
}

extension ModelContext {
  /// Posted when a save that nobody asked for failed; `userInfo["error"]` has the error.
  public static let autosaveFailed = Notification.Name("ModelContext.autosaveFailed")
}
