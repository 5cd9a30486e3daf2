extension Schema {
  /// A version of a schema, ordered by the rules of semantic versioning.
  public struct Version: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
    /// The number for breaking changes.
    public let major: Int
    /// The number for additions.
    public let minor: Int
    /// The number for fixes.
    public let patch: Int

    /// Creates a version from three nonnegative numbers.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      precondition(
        major >= 0 && minor >= 0 && patch >= 0,
        "The numbers of a schema version must not be negative."
      )
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    /// Orders by major, then minor, then patch.
    public static func < (lhs: Version, rhs: Version) -> Bool {
      (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
    }

    /// The three numbers, separated by periods.
    public var description: String { "\(major).\(minor).\(patch)" }

    /// Creates a version from a description, or returns `nil` for any other string.
    package init?(_ description: String) {
      let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        .map { Int($0) ?? -1 }
      guard parts.count == 3, parts.allSatisfy({ $0 >= 0 }) else { return nil }
      self.init(parts[0], parts[1], parts[2])
    }
  }
}

/// A frozen version of a schema, usually an enumeration that contains its models.
public protocol VersionedSchema: SendableMetatype {
  /// The model types of this version.
  static var models: [any PersistentModel.Type] { get }
  /// The version's number.
  static var versionIdentifier: Schema.Version { get }
}

/// The versions of a schema and the steps between them.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// All versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The steps between consecutive versions.
  static var stages: [MigrationStage] { get }
}
