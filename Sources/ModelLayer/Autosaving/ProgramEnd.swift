import Foundation
import Synchronization

/// Saves the contexts of the main actor when the program ends.
///
/// The end is a return from the program's main function or a call of `exit`. Nothing is saved if
/// that happens outside of the main actor, whose objects might be in use, nor in a signal.
enum ProgramEnd {
  private static let watched = Mutex<[Traveller]>([])
  private static let isArmed: Bool = atexit { ProgramEnd.saveAll() } == 0

  /// Registers a context of the main actor to be saved at the end, if it still exists by then.
  static func watch(_ context: ContextState) {
    guard isArmed else { return }
    let traveller = Traveller(context)
    watched.withLock { watched in
      watched.removeAll { $0.isGone }
      watched.append(traveller)
    }
  }

  /// Saves what is pending in the contexts of the main actor.
  static func saveAll() {
    guard ContextHome.mainActor.isHere else { return }
    for traveller in watched.withLock({ $0 }) {
      guard let context = traveller.context else { continue }
      context.autosave.save(context)
    }
  }
}
