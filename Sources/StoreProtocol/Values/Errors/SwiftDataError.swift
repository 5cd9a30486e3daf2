import Foundation

/// An error of the model layer: what failed, where, and what to do next.
///
/// Errors are equal if their codes are equal, so `catch SwiftDataError.unsupportedPredicate` works
/// as it does with SwiftData.
public struct SwiftDataError: Error, Hashable, Sendable {
  /// The name of the kind of error.
  public let code: String
  /// One sentence that says what happened.
  public let message: String
  /// The entity that the error concerns.
  public let entity: String?
  /// The property that the error concerns.
  public let property: String?
  /// The underlying error.
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

  /// Returns this kind of error with another message.
  package func with(
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

  /// Lets `catch SwiftDataError.unsupportedPredicate` match any error of that kind, also as the cause
  /// of a store's error.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    let kind = error as? SwiftDataError ?? (error as? DataStoreError)?.cause as? SwiftDataError
    return kind?.code == pattern.code
  }
}

extension SwiftDataError: CustomStringConvertible, LocalizedError {
  /// The message, preceded by the entity or property that it concerns.
  public var description: String {
    let qualifiedName = entity.map { entity in property.map { "\(entity).\($0)" } ?? entity }
    let text = qualifiedName.map { "\($0): \(message)" } ?? message
    return cause.map { "\(text) (\($0))" } ?? text
  }

  /// The description, for interfaces that display Foundation's errors.
  public var errorDescription: String? { description }
}
