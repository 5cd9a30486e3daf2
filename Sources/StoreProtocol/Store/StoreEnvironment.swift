import Foundation

/// What stores take from the world around them: the time, identifiers that nobody else has, and the
/// number of the process.
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
  /// A new identifier of a save.
  public var makeSaveIdentifier: @Sendable () -> UUID
  /// The number of the process, for the history.
  public var processIdentifier: String

  /// Creates an environment; what is not given is the system's.
  public init(
    now: @escaping @Sendable () -> Date = { Date() },
    makeUUID: @escaping @Sendable () -> UUID = { UUID() },
    makeSaveIdentifier: (@Sendable () -> UUID)? = nil,
    processIdentifier: String = HistoryRecord.ownProcess
  ) {
    self.processIdentifier = processIdentifier
    self.makeSaveIdentifier = makeSaveIdentifier ?? { .random }
    self.now = now
    self.makeUUID = makeUUID
  }
}

extension UUID {
  /// A new random identifier, as `UUID()` is one, which opens a file for it on some systems.
  fileprivate static var random: UUID {
    UUID((.random(in: .min ... .max), .random(in: .min ... .max)), version: 4)
  }
}
