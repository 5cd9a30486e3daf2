import Foundation
import Synchronization

/// Saves the contexts of the main actor when the program ends.
///
/// The end is a return from the program's main function or a call of `exit`. Nothing is saved if
/// that happens outside of the main actor, whose objects might be in use, nor in a signal.
enum ProgramEnd {
  private static let watched = Mutex<[ContextHandoff]>([])
  private static let isArmed: Bool = atexit { ProgramEnd.saveAll() } == 0

  /// Registers a context of the main actor to be saved at the end, if it still exists by then.
  static func watch(_ context: ContextState) {
    guard isArmed else { return }
    let handoff = ContextHandoff(context)
    watched.withLock { watched in
      watched.removeAll { $0.isGone }
      watched.append(handoff)
    }
  }

  /// Saves what is pending in the contexts of the main actor.
  static func saveAll() {
    guard ContextIsolation.mainActor.isHere else { return }
    for handoff in watched.withLock({ $0 }) {
      guard let context = handoff.context else { continue }
      context.autosave.save(context)
    }
  }
}
