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

  /// What became of the row.
  public let kind: Kind
  /// The row.
  public let identifier: PersistentIdentifier
  /// The names of the properties that an update changed, in the order of the schema.
  public let properties: [String]
  /// The values before by property: those that the history keeps of an update, and of a deletion
  /// at least those of attributes with `.preserveValueOnDeletion`.
  public let before: [String: StoreValue]
  /// The values after by property, where the history keeps values.
  public let after: [String: StoreValue]

  /// Creates a change.
  public init(
    _ kind: Kind,
    _ identifier: PersistentIdentifier,
    properties: [String] = [],
    before: [String: StoreValue] = [:],
    after: [String: StoreValue] = [:]
  ) {
    self.kind = kind
    self.identifier = identifier
    self.properties = properties
    self.before = before
    self.after = after
  }
}
