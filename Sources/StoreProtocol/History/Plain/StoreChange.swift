/// The change of one row in one save, as a plain value.
///
/// It is what the save came to for the row: a row that was changed twice is one update, one that was
/// inserted and changed is one insertion, one that was changed and removed is one deletion.
public struct StoreChange: Hashable, Sendable {
  /// What became of a row.
  public enum Kind: String, Codable, CaseIterable, Sendable {
    /// The row is new.
    case insert
    /// Properties of the row have new values.
    case update
    /// The row is gone.
    case delete
  }

  /// The part of a save that changed a row.
  public enum Cause: String, Codable, CaseIterable, Sendable {
    /// The program changed it, or an object of the program did by the inverse of its relationship.
    case program
    /// A delete rule did: it deleted the row with another one, or made it refer to a deleted row no
    /// more.
    case deleteRule
    /// The uniqueness of values did: a new record with the unique values of the row became an update of
    /// it, or took the one object that the row led to.
    case merge
  }

  /// What became of the row.
  public let kind: Kind
  /// The row.
  public let identifier: PersistentIdentifier
  /// The names of the properties that an update changed, in the order of the schema.
  public let properties: [String]
  /// The part of the save that changed the row.
  ///
  /// It is ``Cause/program`` where the program and a delete rule both changed properties, which
  /// ``clearedProperties`` tells apart, and ``Cause/merge`` wherever uniqueness was a part. Saves that
  /// were kept before stores noted causes have ``Cause/program``.
  public let cause: Cause
  /// The names among ``properties`` that a delete rule changed: references that became `nil`, and lists
  /// that lost a member.
  public let clearedProperties: [String]
  /// The values before by property: those that the history keeps of an update, and of a deletion
  /// at least those of attributes with `.preserveValueOnDeletion`.
  public let before: [String: StoreValue]
  /// The values after by property, where the history keeps values.
  public let after: [String: StoreValue]

  /// Creates a change; where a delete rule is the cause, all properties are cleared unless some are
  /// named.
  public init(
    _ kind: Kind,
    _ identifier: PersistentIdentifier,
    properties: [String] = [],
    cause: Cause = .program,
    clearedProperties: [String]? = nil,
    before: [String: StoreValue] = [:],
    after: [String: StoreValue] = [:]
  ) {
    self.kind = kind
    self.identifier = identifier
    self.properties = properties
    self.cause = cause
    self.clearedProperties = clearedProperties ?? (cause == .deleteRule ? properties : [])
    self.before = before
    self.after = after
  }
}
