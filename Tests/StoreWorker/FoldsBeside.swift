import Foundation
import OpenSwiftData

/// Folds a store's journal or log again and again on a thread of its own, while others save.
enum FoldsBeside {
  /// How often it folds before it opens the store anew.
  private static let foldsOfAnOpening = 20

  /// Begins, without an end; a fold that is refused is told as the refusal of step 0.
  static func begin(_ url: String) {
    Thread.detachNewThread {
      while true {
        do {
          let container = try ModelContainer(for: Narrow.Item.self, Narrow.Box.self, store: url)
          for _ in 0..<foldsOfAnOpening {
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
