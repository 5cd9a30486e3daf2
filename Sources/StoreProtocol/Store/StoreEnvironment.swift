import Foundation

/// What stores take from the world around them: the time, and identifiers that nobody else has.
///
/// A test sets it, and a store that asks here instead of the system does the same in every run:
///
/// ```swift
/// let noon = StoreEnvironment(now: { Date(timeIntervalSince1970: 43_200) })
/// try StoreEnvironment.$current.withValue(noon) { try context.save() }
/// ```
///
/// The built-in stores ask for the time of a save, for their history, and for the identifier of a new
/// store. A program may ask for the initial values of its own models.
public struct StoreEnvironment: Sendable {
  /// What holds for the current task: the system's, unless somebody set something else.
  @TaskLocal public static var current = StoreEnvironment()

  /// The time.
  public var now: @Sendable () -> Date
  /// A new identifier.
  public var makeUUID: @Sendable () -> UUID

  /// Creates an environment; what is not given is the system's.
  public init(
    now: @escaping @Sendable () -> Date = { Date() },
    makeUUID: @escaping @Sendable () -> UUID = { UUID() }
  ) {
    self.now = now
    self.makeUUID = makeUUID
  }
}
