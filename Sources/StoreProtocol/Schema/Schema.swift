import Foundation

/// The models of a container: their entities, attributes and relationships.
///
/// A schema is immutable.
public final class Schema: Sendable {
  /// The version that the program assigned to the schema.
  public let version: Version
  /// The version of the encoded form that this library writes.
  public static let schemaEncodingVersion = Version(1, 0, 0)
  /// The version of the encoded form of the schema.
  public let encodingVersion: Version
  /// The entities, with their inheritance.
  public let entities: [Entity]
  /// The entities as plain values, which stores use.
  public let storeSchema: StoreSchema
  /// The model types by entity name; empty for a schema that was read from a store.
  package let modelTypes: [String: any PersistentModel.Type]
  /// Whether the program named the version of the schema.
  package let isVersioned: Bool
  /// The problems with the models; a container rejects a schema with problems.
  package let problems: [SwiftDataError]

  /// Creates a schema from its parts.
  package init(
    version: Version,
    entities: [Entity],
    storeSchema: StoreSchema,
    modelTypes: [String: any PersistentModel.Type] = [:],
    problems: [SwiftDataError] = [],
    isVersioned: Bool = false
  ) {
    self.version = version
    encodingVersion = Self.schemaEncodingVersion
    self.entities = entities
    self.storeSchema = storeSchema
    self.modelTypes = modelTypes
    self.problems = problems
    self.isVersioned = isVersioned
  }

  /// Creates an empty schema.
  public convenience init() {
    self.init(
      version: Version(1, 0, 0),
      entities: [],
      storeSchema: StoreSchema(entities: [])
    )
  }

  /// The entities by name.
  public var entitiesByName: [String: Entity] {
    Dictionary(firstOf: entities.map { ($0.name, $0) })
  }

  /// Writes the encoded schema to a file.
  public func save(to toURL: URL) throws {
    try JSONEncoder().encode(self).write(to: toURL)
  }

  /// Reads a schema that `save(to:)` wrote.
  public static func load(from fromURL: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: fromURL))
  }
}

extension Schema: Hashable, CustomDebugStringConvertible {
  /// Compares the stored forms of both schemas.
  public static func == (lhs: Schema, rhs: Schema) -> Bool { lhs.storeSchema == rhs.storeSchema }

  /// Hashes the stored form.
  public func hash(into hasher: inout Hasher) { hasher.combine(storeSchema.entities.map(\.name)) }

  /// The version and the names of the entities.
  public var debugDescription: String {
    "Schema \(version): \(entities.map(\.name).sorted().joined(separator: ", "))"
  }
}

extension Schema: Codable {
  /// Decodes the plain form; the schema then has no model types.
  public convenience init(from decoder: any Decoder) throws {
    self.init(storeSchema: try StoreSchema(from: decoder))
  }

  /// Encodes the plain form.
  public func encode(to encoder: any Encoder) throws {
    try storeSchema.encode(to: encoder)
  }
}
