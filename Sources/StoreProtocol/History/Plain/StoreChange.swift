/// The change of one row in one save, as a plain value.
///
/// It is the net effect of the save on the row. A row that was changed twice is one update. A row
/// that was inserted and changed is one insertion. A row that was changed and removed is one
/// deletion.
public struct StoreChange: Hashable, Sendable {
  /// The kind of change.
  public enum Kind: String, Codable, CaseIterable, Sendable {
    /// The row is new.
    case insert
    /// Properties of the row have new values.
    case update
    /// The row was deleted.
    case delete
  }

  /// The part of a save that changed a row.
  public enum Cause: String, Codable, CaseIterable, Sendable {
    /// The program changed the row, or the inverse of a relationship changed it.
    case program
    /// A delete rule deleted the row with another one, or cleared its reference to a deleted row.
    case deleteRule
    /// The uniqueness of values changed the row.
    ///
    /// A new record with its unique values became an update of it, or took over the one object that
    /// the row referred to.
    case merge
  }

  /// The kind of change.
  public let kind: Kind
  /// The row.
  public let identifier: PersistentIdentifier
  /// The names of the properties that an update changed, in the order of the schema.
  public let properties: [String]
  /// The part of the save that changed the row.
  ///
  /// If the program and a delete rule both changed properties, the cause is ``Cause/program``, and
  /// ``clearedProperties`` tells them apart. If uniqueness was involved, the cause is
  /// ``Cause/merge``. Saves from before stores recorded causes have ``Cause/program``.
  public let cause: Cause
  /// The names among ``properties`` that a delete rule changed: references that became `nil`, and
  /// lists that lost an element.
  public let clearedProperties: [String]
  /// The values before the change, by property.
  ///
  /// For an update, these are the values that the history keeps. For a deletion, they include at
  /// least the attributes with `.preserveValueOnDeletion`.
  public let before: [String: StoreValue]
  /// The values after the change, by property, if the history keeps values.
  public let after: [String: StoreValue]

  /// Creates a change.
  ///
  /// If a delete rule is the cause, all properties are cleared unless some are named.
  package init(
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
