import Foundation

/// An error of a store: what failed, where, and what to do next.
///
/// Errors are equal if their codes are equal: `catch DataStoreError.storeBusy` works as it does for
/// SwiftData's cases. After any error except ``outcomeUnknown``, nothing of a failed save is stored.
public struct DataStoreError: Error, Hashable, Sendable {
  /// The name of the kind of error, such as `storeBusy`.
  public let code: String
  /// One sentence that says what happened, and what to do if there is a single remedy.
  public let message: String
  /// The entity that the error concerns.
  public let entity: String?
  /// The property that the error concerns.
  public let property: String?
  /// The objects that the error concerns: both objects for a ``uniqueConflict``.
  public let identifiers: [PersistentIdentifier]
  /// The file that the error concerns.
  public let file: String?
  /// The byte offset in that file where the problem begins.
  public let offset: Int?
  /// The underlying error.
  public let cause: (any Error)?

  /// Creates an error of a kind that has a message only.
  init(_ code: String, _ message: String) {
    self.code = code
    self.message = message
    entity = nil
    property = nil
    identifiers = []
    file = nil
    offset = nil
    cause = nil
  }

  /// Creates an error of the same kind as another: `DataStoreError(.storeBusy, "…")`.
  public init(
    _ kind: DataStoreError,
    _ message: String,
    entity: String? = nil,
    property: String? = nil,
    identifiers: [PersistentIdentifier] = [],
    file: String? = nil,
    offset: Int? = nil,
    cause: (any Error)? = nil
  ) {
    code = kind.code
    self.message = message
    self.entity = entity
    self.property = property
    self.identifiers = identifiers
    self.file = file
    self.offset = offset
    self.cause = cause
  }

  /// Compares codes only.
  public static func == (lhs: DataStoreError, rhs: DataStoreError) -> Bool {
    lhs.code == rhs.code
  }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
  }

  /// Lets `catch DataStoreError.storeBusy` match any error of that code.
  public static func ~= (pattern: DataStoreError, error: any Error) -> Bool {
    (error as? DataStoreError)?.code == pattern.code
  }
}

extension DataStoreError: CustomStringConvertible, LocalizedError {
  /// The message, preceded by the property or file that it concerns.
  public var description: String {
    var location: [String] = []
    if let entity { location.append(property.map { "\(entity).\($0)" } ?? entity) }
    // A message that repeats its cause also contains the location.
    let isMentioned = cause.map { message.contains("\($0)") } ?? false
    if let file {
      location.append(isMentioned ? file : offset.map { "\(file) at byte \($0)" } ?? file)
    }
    var text = location.isEmpty ? message : "\(location.joined(separator: ", ")): \(message)"
    if let cause, !isMentioned { text += " (\(cause))" }
    return text
  }

  /// The description, for interfaces that display Foundation's errors.
  public var errorDescription: String? { description }
}
