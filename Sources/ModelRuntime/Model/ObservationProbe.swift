import Foundation
import Observation
import Synchronization

/// Determines whether the running code is being observed; for the macro and the engine only.
///
/// The standard library does not expose this, but an observation inserts each accessed key path
/// into a set. A key path with a custom subscript argument then has its argument hashed, and not
/// otherwise.
///
/// The test is part of the observation: the probe's registrar retains what the observation captures
/// until the observation fires. Each observed object therefore gets the registrar that was probed
/// for it (``takeRegistrar()``), and the observation ends with the object.
public enum _ObservationProbe {
  private final class Subject: Observable, Sendable {
    subscript(hook: Hook) -> Bool { true }
  }

  private struct Hook: Hashable, Sendable {
    static func == (lhs: Hook, rhs: Hook) -> Bool { true }
    func hash(into hasher: inout Hasher) { hits.add(1, ordering: .relaxed) }
  }

  // In one object, because each global checks its initialization, and each read of a property
  // reaches this code. Checks of exclusivity and counts of references would cost as much as the rest.
  /// The probe of one thread.
  private final class Means {
    let subject = Subject()
    let path: KeyPath<Subject, Bool> = \Subject[Hook()]
    @exclusivity(unchecked) var registrar = ObservationRegistrar()
  }

  private static let hits = Atomic<Int>(0)

  /// The key of the thread-specific probe, or `nil` if the system has no key left.
  private static let threadKey: pthread_key_t? = {
    var key = pthread_key_t()
    let failure = pthread_key_create(&key) { pointer in
      // Optional on some systems only.
      let pointer: UnsafeMutableRawPointer? = pointer
      if let pointer { Unmanaged<Means>.fromOpaque(pointer).release() }
    }
    return failure == 0 ? key : nil
  }()

  /// The probe of this thread, or `nil` if it cannot have one.
  ///
  /// The thread releases it when it ends.
  private static var means: Unmanaged<Means>? {
    guard let threadKey else { return nil }
    if let existing = pthread_getspecific(threadKey) { return .fromOpaque(existing) }
    let made = Unmanaged.passRetained(Means())
    if pthread_setspecific(threadKey, made.toOpaque()) == 0 { return made }
    made.release()
    return nil
  }

  /// Whether an observation is being set up on this thread.
  ///
  /// Occasionally it is also true while one is set up on another thread, which costs only time.
  public static var isActive: Bool {
    guard let means else { return true }
    return means._withUnsafeGuaranteedRef { means in
      let before = hits.load(ordering: .relaxed)
      means.registrar.access(means.subject, keyPath: means.path)
      return hits.load(ordering: .relaxed) != before
    }
  }

  /// Returns the registrar by which this thread detected its observation, for the object that is
  /// read.
  public static func takeRegistrar() -> ObservationRegistrar {
    guard let means = means?.takeUnretainedValue() else { return ObservationRegistrar() }
    defer { means.registrar = ObservationRegistrar() }
    return means.registrar
  }
}
