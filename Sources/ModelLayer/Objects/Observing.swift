import Observation
import StoreProtocol
import Synchronization

/// Finds out whether the code that runs now is being observed.
///
/// The standard library does not say so, but when it is, it puts each accessed key path into a
/// set. A key path with a subscript argument of ours has that argument hashed then, and not
/// otherwise.
enum ObservationProbe {
  private final class Subject: Observable, Sendable {
    subscript(hook: Hook) -> Bool { true }
  }

  private struct Hook: Hashable, Sendable {
    static func == (lhs: Hook, rhs: Hook) -> Bool { true }
    func hash(into hasher: inout Hasher) { hits.add(1, ordering: .relaxed) }
  }

  private static let hits = Atomic<Int>(0)
  private static let subject = Subject()
  private static let registrar = ObservationRegistrar()
  // A key path that captures one Sendable value; key paths are not marked Sendable.
  private nonisolated(unsafe) static let path: KeyPath<Subject, Bool> = \Subject[Hook()]

  /// Whether an observation is being set up on this thread.
  ///
  /// Now and then also true while one is set up on another thread, which costs time and nothing
  /// else.
  static var isActive: Bool {
    let before = hits.load(ordering: .relaxed)
    registrar.access(subject, keyPath: path)
    return hits.load(ordering: .relaxed) != before
  }
}

/// A key path that can tell a registrar about its property.
protocol ObservedPath {
  /// Tells that the property is being read.
  func access(on model: any PersistentModel, registrar: ObservationRegistrar)
  /// Tells that the property is about to change.
  func willSet(on model: any PersistentModel, registrar: ObservationRegistrar)
  /// Tells that the property changed.
  func didSet(on model: any PersistentModel, registrar: ObservationRegistrar)
}

extension KeyPath: ObservedPath where Root: PersistentModel {
  func access(on model: any PersistentModel, registrar: ObservationRegistrar) {
    if let subject = model as? Root { registrar.access(subject, keyPath: self) }
  }

  func willSet(on model: any PersistentModel, registrar: ObservationRegistrar) {
    if let subject = model as? Root { registrar.willSet(subject, keyPath: self) }
  }

  func didSet(on model: any PersistentModel, registrar: ObservationRegistrar) {
    if let subject = model as? Root { registrar.didSet(subject, keyPath: self) }
  }
}

extension PersistentModel {
  /// Changes a property by a closure with observers told before and after.
  func notifyingObservers(of index: Int, _ change: () throws -> Void) rethrows {
    guard _$state.flags.contains(.observed), let registrar = existingExtra?.registrar else {
      return try change()
    }
    let layout = ModelLayout.of(Self.self)
    let path =
      layout.properties.indices.contains(index)
      ? layout.properties[index].keyPath as? any ObservedPath : nil
    path?.willSet(on: self, registrar: registrar)
    try change()
    path?.didSet(on: self, registrar: registrar)
  }
}
