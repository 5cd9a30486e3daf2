import Foundation
import OpenSwiftData

/// Folds a store's journal or log again and again on a thread of its own, while others save.
enum CheckpointsBeside {
  /// How often it checkpoints before it opens the store anew.
  private static let checkpointsPerOpening = 20

  /// Begins, without an end; a checkpoint that is refused is reported as the refusal of step 0.
  static func begin(_ url: String) {
    Thread.detachNewThread {
      while true {
        do {
          let container = try ModelContainer(for: Narrow.Item.self, Narrow.Box.self, store: url)
          for _ in 0..<checkpointsPerOpening {
            for store in container.stores { try (store as? any MaintainableStore)?.compact() }
          }
        } catch {
          Output.line("NAK 0 \(error.word)")
          Output.complain(error)
        }
      }
    }
  }
}
