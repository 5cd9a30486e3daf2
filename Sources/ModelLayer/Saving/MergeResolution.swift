import ModelRuntime
import StoreProtocol

/// The resolution of a conflict about an object.
///
/// Begin with one side and name the properties that differ: `.theirs.keeping(.mine, of:
/// \Trip.name)`.
public struct MergeResolution: Sendable {
  /// One of the two sides of a conflict.
  public enum Side: Sendable {
    /// The values that this context is to store.
    case mine
    /// The stored values.
    case theirs
  }

  enum Start: Sendable {
    case side(Side)
    case error
  }

  enum Choice: Sendable {
    case side(Side)
    case value(StoreValue)
  }

  let start: Start
  private(set) var choices: [String: Choice] = [:]
  /// Whether relationships that both ends keep are merged element by element.
  private(set) var mergesMembers = false

  private init(_ start: Start) {
    self.start = start
  }

  /// Returns this context's values of the properties that it changed and of some others.
  static func mine(of names: [String]) -> MergeResolution {
    names.reduce(into: .mine) { $0.choices[$1] = .side(.mine) }
  }

  /// The resolution of ``mine`` that also merges relationships that both ends keep.
  ///
  /// Changes of others to such a relationship are kept, except for elements that this context
  /// changed differently.
  static var merging: MergeResolution {
    var resolution = MergeResolution.mine
    resolution.mergesMembers = true
    return resolution
  }

  /// The properties that were changed here are stored; the others keep their stored values.
  ///
  /// An object that was deleted here stays deleted. For one that was deleted there the save throws:
  /// a row cannot be restored, since its identifier is not reused.
  public static let mine = MergeResolution(.side(.mine))

  /// The changes made here are dropped.
  ///
  /// An object that was deleted there vanishes, and one that was deleted here stays.
  public static let theirs = MergeResolution(.side(.theirs))

  /// The save throws, and nothing is stored.
  public static let error = MergeResolution(.error)

  /// Returns the resolution with one side's value of a property.
  ///
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if the key path is not a stored property of
  ///   the model.
  public func keeping<T: PersistentModel, Value>(
    _ side: Side,
    of keyPath: KeyPath<T, Value>
  ) throws -> MergeResolution {
    try choosing(.side(side), keyPath)
  }

  /// Returns the resolution with another value of an attribute.
  ///
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if the key path is not a stored property of
  ///   the model, and errors of encoding the value.
  public func setting<T: PersistentModel, Value: Encodable>(
    _ keyPath: KeyPath<T, Value>,
    to value: Value
  ) throws -> MergeResolution {
    try choosing(.value(StoreValueEncoder.encode(value)), keyPath)
  }

  private func choosing<T: PersistentModel, Value>(
    _ choice: Choice,
    _ keyPath: KeyPath<T, Value>
  ) throws -> MergeResolution {
    guard let name = ModelLayout.of(T.self).propertyName(of: keyPath) else {
      throw SwiftDataError.unsupportedKeyPath.with(
        "a merge resolution names a property that is not stored",
        entity: ModelLayout.of(T.self).entityName
      )
    }
    var resolution = self
    resolution.choices[name] = choice
    return resolution
  }
}
