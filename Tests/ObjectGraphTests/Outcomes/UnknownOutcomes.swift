import ComposableStores
import OpenSwiftData
import Synchronization

/// The saves of a store whose outcome is unknown, shared with the test.
final class UnknownOutcomes: Sendable {
  /// The outcome of a save that throws.
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

  /// Creates outcomes that are all known.
  init() { countSaves() }

  /// The number of saves that the store was asked for.
  var saves: Int { made.count.load(ordering: .relaxed) }

  /// Makes the next save throw `outcomeUnknown`.
  ///
  /// - Parameters:
  ///   - fate: The outcome of the save.
  ///   - canTell: Whether the store can report the outcome at once, not only after ``recover()``.
  ///   - keepsAccount: Whether the store ever can.
  func begin(_ fate: Fate, canTell: Bool = false, keepsAccount: Bool = true) {
    let moment: FaultPlan.Moment = fate == .saved ? .after : .before
    plan.fail(.save, moment, with: DataStoreError.outcomeUnknown)
    if !keepsAccount {
      plan.fail(.outcome, times: .max, with: DataStoreError.unsupportedFeature)
    } else if !canTell {
      plan.fail(.outcome, times: .max, with: DataStoreError.outcomeUnknown)
    }
  }

  /// Lets the store report the outcomes of its saves.
  func recover() {
    plan.clear()
    countSaves()
  }

  private func countSaves() {
    plan.at(.save, times: .max) { [made] in made.count.add(1, ordering: .relaxed) }
  }
}
