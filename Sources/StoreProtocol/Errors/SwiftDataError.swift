import Foundation

/// What went wrong in the model layer, where, and what to do next.
///
/// Errors are equal when their codes are, so that `catch SwiftDataError.unsupportedPredicate`
/// works as it does with SwiftData.
public struct SwiftDataError: Error, Hashable, Sendable {
  /// The name of the kind of error.
  public let code: String
  /// One sentence on what happened.
  public let message: String
  /// The entity that the error speaks of.
  public let entity: String?
  /// The property that the error speaks of.
  public let property: String?
  /// The error below this one.
  public let cause: (any Error)?

  init(
    _ code: String,
    _ message: String,
    entity: String? = nil,
    property: String? = nil,
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.entity = entity
    self.property = property
    self.cause = cause
  }

  /// Returns this kind of error with a message of its own.
  public func with(
    _ message: String,
    entity: String? = nil,
    property: String? = nil,
    cause: (any Error)? = nil
  ) -> SwiftDataError {
    SwiftDataError(code, message, entity: entity, property: property, cause: cause)
  }

  /// Compares codes only.
  public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool {
    lhs.code == rhs.code
  }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
  }

  /// Lets `catch SwiftDataError.unsupportedPredicate` match any error of that kind.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    (error as? SwiftDataError)?.code == pattern.code
  }
}

extension SwiftDataError: CustomStringConvertible, LocalizedError {
  /// The message with the place that it speaks of.
  public var description: String {
    let place = entity.map { entity in property.map { "\(entity).\($0)" } ?? entity }
    let text = place.map { "\($0): \(message)" } ?? message
    return cause.map { "\(text) (\($0))" } ?? text
  }

  /// The description, for interfaces that show Foundation's errors.
  public var errorDescription: String? { description }
}
