import StoreProtocol

/// What is to become of an object in a conflict.
///
/// Begin with one side and name the properties that are to be otherwise:
/// `.theirs.keeping(.mine, of: \Trip.name)`.
public struct MergeResolution: Sendable {
  /// One of the two sides of a conflict.
  public enum Side: Sendable {
    /// What this context wants to store.
    case mine
    /// What is stored.
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
  /// Whether members are settled one by one, in relationships that both ends keep.
  private(set) var mergesMembers = false

  private init(_ start: Start) {
    self.start = start
  }

  /// This context's values of what it changed and of some other properties.
  static func mine(of names: [String]) -> MergeResolution {
    names.reduce(into: .mine) { $0.choices[$1] = .side(.mine) }
  }

  /// As ``mine``, but what others did to a relationship that both ends keep stays where this context
  /// did something else to it.
  static var merging: MergeResolution {
    var resolution = MergeResolution.mine
    resolution.mergesMembers = true
    return resolution
  }

  /// The properties that were changed here are stored, the others stay as they are stored.
  ///
  /// An object that was deleted here stays deleted. For one that was deleted there the save throws:
  /// a row does not come back, since its identifier is not given again.
  public static let mine = MergeResolution(.side(.mine))

  /// What was changed here is dropped; an object that was deleted there vanishes, and one that was
  /// deleted here stays.
  public static let theirs = MergeResolution(.side(.theirs))

  /// The save throws, and nothing is stored.
  public static let error = MergeResolution(.error)

  /// The same, but with one side's value of a property.
  ///
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` for what is no stored property of the model.
  public func keeping<T: PersistentModel, Value>(
    _ side: Side,
    of keyPath: KeyPath<T, Value>
  ) throws -> MergeResolution {
    try choosing(.side(side), keyPath)
  }

  /// The same, but with another value of an attribute.
  ///
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` for what is no stored property of the model, and
  ///   what encoding the value throws.
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
        "a merge resolution names what is no stored property",
        entity: ModelLayout.of(T.self).entityName
      )
    }
    var resolution = self
    resolution.choices[name] = choice
    return resolution
  }
}
