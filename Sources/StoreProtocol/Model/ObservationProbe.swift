import Observation
import Synchronization

/// Finds out whether the code that runs now is being observed; used by macro and engine alone.
///
/// The standard library does not say so, but when it is, it puts each accessed key path into a
/// set. A key path with a subscript argument of ours has that argument hashed then, and not
/// otherwise.
public enum _ObservationProbe {
  private final class Subject: Observable, Sendable {
    subscript(hook: Hook) -> Bool { true }
  }

  private struct Hook: Hashable, Sendable {
    static func == (lhs: Hook, rhs: Hook) -> Bool { true }
    func hash(into hasher: inout Hasher) { hits.add(1, ordering: .relaxed) }
  }

  /// What the probe asks with: in one object, since each global has a look of its own at whether it
  /// was made, and each read of a property comes here.
  private final class Means {
    let subject = Subject()
    let registrar = ObservationRegistrar()
    let path: KeyPath<Subject, Bool> = \Subject[Hook()]
  }

  private static let hits = Atomic<Int>(0)
  // Nothing in it changes, and its key path captures one Sendable value; key paths are not marked
  // Sendable.
  private nonisolated(unsafe) static let means = Means()

  /// Whether an observation is being set up on this thread.
  ///
  /// Now and then also true while one is set up on another thread, which costs time and nothing
  /// else.
  public static var isActive: Bool {
    let means = means
    let before = hits.load(ordering: .relaxed)
    means.registrar.access(means.subject, keyPath: means.path)
    return hits.load(ordering: .relaxed) != before
  }
}
