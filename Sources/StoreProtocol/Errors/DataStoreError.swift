import Foundation

/// What went wrong in a store, where, and what to do next.
///
/// Errors are equal when their codes are: `catch DataStoreError.storeBusy` works as it does for
/// SwiftData's cases. After any code but ``outcomeUnknown`` nothing of a failed save is stored.
public struct DataStoreError: Error, Hashable, Sendable {
  /// The kind of an error, open for values that later versions add.
  public struct Code: Hashable, RawRepresentable, Sendable {
    /// The code's name.
    public let rawValue: String

    /// Creates a code from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// What kind of error this is.
  public let code: Code
  /// One sentence on what happened, with what to do where there is one thing to do.
  public let message: String
  /// The entity that the error speaks of.
  public let entity: String?
  /// The property that the error speaks of.
  public let property: String?
  /// The objects that the error speaks of: both of those that a ``uniqueConflict`` is about.
  public let identifiers: [PersistentIdentifier]
  /// The file that the error speaks of.
  public let file: String?
  /// The byte offset in that file where the trouble begins.
  public let offset: Int?
  /// The error below this one.
  public let cause: (any Error)?

  /// Creates an error.
  public init(
    _ code: Code,
    _ message: String,
    entity: String? = nil,
    property: String? = nil,
    identifiers: [PersistentIdentifier] = [],
    file: String? = nil,
    offset: Int? = nil,
    cause: (any Error)? = nil
  ) {
    self.code = code
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
  /// The message with the place that it speaks of.
  public var description: String {
    var place: [String] = []
    if let entity { place.append(property.map { "\(entity).\($0)" } ?? entity) }
    // A message that says what its cause says has the place of it as well.
    let isTold = cause.map { message.contains("\($0)") } ?? false
    if let file {
      place.append(isTold ? file : offset.map { "\(file) at byte \($0)" } ?? file)
    }
    var text = place.isEmpty ? message : "\(place.joined(separator: ", ")): \(message)"
    if let cause, !isTold { text += " (\(cause))" }
    return text
  }

  /// The description, for interfaces that show Foundation's errors.
  public var errorDescription: String? { description }
}
