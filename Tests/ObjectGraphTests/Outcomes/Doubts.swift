import ComposableStores
import OpenSwiftData
import Synchronization

/// Which saves a store does not know of, shared with the test.
final class Doubts: Sendable {
  /// What becomes of a save that throws.
  enum Fate: CaseIterable, Sendable {
    /// It is stored nevertheless.
    case saved
    /// It is not stored.
    case lost
  }

  /// The saves of a store.
  private final class Saves: Sendable {
    let count = Atomic<Int>(0)
  }

  /// What goes wrong in the store.
  let plan = FaultPlan()
  private let made = Saves()

  /// Creates a store's knowledge of all its saves.
  init() { countSaves() }

  /// How many saves the store was asked for.
  var saves: Int { made.count.load(ordering: .relaxed) }

  /// Has the next save throw `outcomeUnknown`.
  ///
  /// - Parameters:
  ///   - fate: What becomes of the save.
  ///   - canTell: Whether the store can say so when it is asked, now or after ``recover()``.
  ///   - keepsAccount: Whether it ever can.
  func begin(_ fate: Fate, canTell: Bool = false, keepsAccount: Bool = true) {
    let moment: FaultPlan.Moment = fate == .saved ? .after : .before
    plan.fail(.save, moment, with: DataStoreError.outcomeUnknown)
    if !keepsAccount {
      plan.fail(.outcome, times: .max, with: DataStoreError.unsupportedFeature)
    } else if !canTell {
      plan.fail(.outcome, times: .max, with: DataStoreError.outcomeUnknown)
    }
  }

  /// Has the store know what became of its saves.
  func recover() {
    plan.clear()
    countSaves()
  }

  private func countSaves() {
    plan.at(.save, times: .max) { [made] in made.count.add(1, ordering: .relaxed) }
  }
}
