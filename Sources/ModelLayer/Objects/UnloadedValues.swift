import ModelRuntime
import StoreProtocol

/// A placeholder for the value of an attribute that could not be loaded.
struct UnloadedValue: Error {}

extension PersistentModel {
  /// Whether the value of an attribute is still to be loaded.
  func isUnloaded(_ index: Int) -> Bool {
    _$state.flags.contains(.partial) && existingExtra?.unloaded.contains(index) == true
  }

  /// The attributes whose values are still to be loaded.
  var unloadedIndices: [Int] {
    _$state.flags.contains(.partial) ? existingExtra?.unloaded ?? [] : []
  }

  /// Notes that attributes have placeholders instead of their values.
  func noteUnloaded(_ indices: [Int]) {
    guard !indices.isEmpty else { return }
    let current = unloadedIndices
    modelExtra.unloaded =
      current.isEmpty ? indices : current + indices.filter { !current.contains($0) }
    _$state.flags.insert(.partial)
  }

  /// Notes that the types of attributes refuse their stored values.
  ///
  /// Each reports that when the program reads it. One that the program sets is not read.
  func noteUnreadable(_ indices: [Int]) {
    if !indices.isEmpty { modelExtra.unreadable = indices }
  }

  /// Notes that an attribute has its value.
  func noteLoaded(_ index: Int) {
    guard let extra = existingExtra, !extra.unloaded.isEmpty else { return }
    extra.unloaded.removeAll { $0 == index }
    if extra.unloaded.isEmpty { _$state.flags.remove(.partial) }
  }

  /// Drops the value of an attribute, to be loaded when it is next accessed.
  func unload(_ index: Int) {
    notifyingObservers(of: index) { putPlaceholder(index) }
    noteUnloaded([index])
  }

  /// Sets placeholders for all values that were not loaded, permanently.
  func usePlaceholders() {
    for index in unloadedIndices { putPlaceholder(index) }
    existingExtra?.unloaded = []
    _$state.flags.remove(.partial)
  }

  /// Sets a placeholder for an attribute without a value.
  func putPlaceholder(_ index: Int) {
    let reader = PlaceholderReader(layout: ModelLayout.of(Self.self), entity: .unnamed)
    try? _$read(index, from: reader)
  }
}
