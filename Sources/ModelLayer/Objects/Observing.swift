import ModelRuntime
import Observation
import StoreProtocol

/// A key path that can notify a registrar of its property.
protocol ObservedPath {
  /// Notifies that the property is being read.
  func access(on model: any PersistentModel, registrar: ObservationRegistrar)
  /// Notifies that the property is about to change.
  func willSet(on model: any PersistentModel, registrar: ObservationRegistrar)
  /// Notifies that the property changed.
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
  /// A Boolean value that indicates whether the object is observed, or is about to be.
  var isObserved: Bool {
    if _$state.flags.contains(.observed) { return true }
    guard _$state.flags.contains(.observable), _ObservationProbe.isActive else { return false }
    modelExtra.registrar = _ObservationProbe.takeRegistrar()
    _$state.flags.insert(.observed)
    registration?.objects.noteObserved(self)
    return true
  }

  /// Changes a property by a closure, and notifies observers before and after.
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
