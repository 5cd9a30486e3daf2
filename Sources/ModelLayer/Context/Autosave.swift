import Foundation
import StoreProtocol

/// Saves a context some time after its first change, without being asked to.
///
/// Only a context of the main actor can be reached again in a safe way, so that autosave works for
/// a container's main context. What a failed autosave throws is posted, and the changes stay.
final class Autosave {
  private var isScheduled = false

  /// Plans one save for all changes until it comes.
  func schedule(for context: ModelContext) {
    guard !isScheduled, Thread.isMainThread else { return }
    isScheduled = true
    let container = context.core
    // The main actor runs this later; the context is found again through its own registration.
    MainActor.assumeIsolated {
      Autosave.waiting.append(WeakContext(context: context, container: container))
      Task { @MainActor in Autosave.run() }
    }
  }

  private struct WeakContext {
    weak var context: ModelContext?
    let container: ContainerCore
  }

  @MainActor private static var waiting: [WeakContext] = []

  @MainActor private static func run() {
    let due = waiting
    waiting = []
    for entry in due {
      guard let context = entry.context else { continue }
      context.autosave.isScheduled = false
      guard context.autosaveEnabled, context.hasChanges else { continue }
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
}

extension ModelContext {
  /// Posted when a save that nobody asked for failed; `userInfo["error"]` has the error.
  public static let autosaveFailed = Notification.Name("ModelContext.autosaveFailed")
}
