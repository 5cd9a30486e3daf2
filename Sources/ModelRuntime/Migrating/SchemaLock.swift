import Foundation
import StoreProtocol

/// A file that records each version of a schema, so that no version changes unnoticed.
///
/// It belongs under version control beside the models. A test that calls ``Schema/checkLock(at:)``
/// fails if a model changed without a new version.
public struct SchemaLock: Sendable {
  /// The schemas by version, oldest first.
  public private(set) var schemas: [StoreSchema]

  /// Creates a lock from schemas.
  public init(schemas: [StoreSchema] = []) {
    self.schemas = schemas.sorted { $0.isOlder(than: $1) }
  }

  /// Reads a lock.
  ///
  /// - Throws: ``DataStoreError/io`` if the file cannot be read, or ``DataStoreError/storeDamaged``
  ///   if it is not a lock.
  public init(contentsOf url: URL) throws {
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      throw DataStoreError(.io, "the schema lock cannot be read", file: url.path, cause: error)
    }
    do {
      let form = try JSONDecoder().decode(Form.self, from: data)
      self.init(schemas: form.versions.map(\.schema))
    } catch {
      throw DataStoreError(
        .storeDamaged,
        "the file is not a schema lock; restore it or write it again",
        file: url.path,
        cause: error
      )
    }
  }

  /// Writes the lock, with identical bytes for identical schemas.
  ///
  /// - Throws: ``DataStoreError/io`` if the system fails to write.
  public func write(to url: URL) throws {
    let form = Form(versions: schemas.map { Form.Version($0) })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try (encoder.encode(form) + Data("\n".utf8)).write(to: url, options: .atomic)
    } catch {
      throw DataStoreError(.io, "the schema lock cannot be written", file: url.path, cause: error)
    }
  }

  /// Adds a schema, unless the lock already has it.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with the difference, if another schema has the
  ///   same version.
  public mutating func add(_ schema: StoreSchema) throws {
    if schemas.contains(where: { $0.version == schema.version }) { return try check(schema) }
    self = SchemaLock(schemas: schemas + [schema])
  }

  /// Compares a schema with the locked schema of its version.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with the difference, or if the lock lacks the
  ///   version.
  public func check(_ schema: StoreSchema) throws {
    guard let locked = schemas.first(where: { $0.version == schema.version }) else {
      let versions = schemas.map(\.version).joined(separator: ", ")
      throw DataStoreError(
        .schemaMismatch,
        "the schema lock has no version \(schema.version), only \(versions.isEmpty ? "none" : versions); "
          + "write the lock when the version is finished"
      )
    }
    let difference = SchemaDifference(from: locked, to: schema)
    guard difference.isEmpty, locked.fingerprint == schema.fingerprint else {
      throw DataStoreError(
        .schemaMismatch,
        "the schema has changed and still has version \(schema.version); give it a new version, "
          + "and add a stage to the plan; \(difference.sentence)",
        entity: difference.steps.first?.entity,
        property: difference.steps.first?.property
      )
    }
  }

  /// The file format.
  private struct Form: Codable {
    struct Version: Codable {
      let fingerprint: String
      let schema: StoreSchema

      init(_ schema: StoreSchema) {
        fingerprint = schema.fingerprint
        self.schema = schema
      }
    }

    let versions: [Version]
  }
}

extension StoreSchema {
  fileprivate func isOlder(than other: StoreSchema) -> Bool {
    guard let own = Schema.Version(version), let others = Schema.Version(other.version) else {
      return version < other.version
    }
    return own < others
  }
}

extension Schema {
  /// Adds the schema to a lock file, and creates the file if necessary.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the file has another schema of this version;
  ///   increase the version instead.
  public func writeLock(to url: URL) throws {
    var lock =
      FileManager.default.fileExists(atPath: url.path)
      ? try SchemaLock(contentsOf: url) : SchemaLock()
    try lock.add(storeSchema)
    try lock.write(to: url)
  }

  /// Compares the schema with a lock file, as a test of a program does.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with the difference, if a model changed without a
  ///   new version.
  public func checkLock(at url: URL) throws {
    try SchemaLock(contentsOf: url).check(storeSchema)
  }
}
