import Foundation
import StoreHelpers
import StoreProtocol
import Synchronization

/// The store's own data: one table of keys and values.
struct Metadata: Sendable {
  /// The statement that creates the table.
  static let creation =
    "CREATE TABLE \"OpenSwiftData\"(key TEXT PRIMARY KEY, value) WITHOUT ROWID"

  /// The keys of the table; a marked column has a key of its own (``InexactColumns``).
  enum Key: String {
    case identifier
    case schema
    case fingerprint
    case nextKey
    /// The number of the last save that left no transaction in the history (``HistoryTable/saves(on:)``).
    case saves
    case historyCut
    /// The identifier of the save at the cut.
    case historyCutSave
    /// Present while the store was only ever opened with durability `none`: nothing of it was
    /// synced.
    case unsynced
  }

  /// The store's identifier, a UUID created with the store.
  let identifier: String

  /// The mapping of the schema that the file has.
  let map: SchemaMap

  /// The fingerprint of the schema, which distinguishes it from others.
  let fingerprint: String

  /// The version of the mapping that an opening found in the file (``StoreOpening/check(_:)``).
  var format = FileFormat.current

  /// The names of the tables that an opening found without the column of rows' versions.
  var unversioned: Set<String> = []
}

extension Metadata {
  /// The schema that the file has.
  var schema: StoreSchema { map.schema }

  /// Returns the metadata after a migration to a schema.
  func migrated(to schema: StoreSchema, _ fingerprint: String) throws -> Metadata {
    Metadata(identifier: identifier, map: try SchemaMap(schema), fingerprint: fingerprint)
  }

  /// Reads the table of a file that was identified as a store.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` if a value is missing or unreadable.
  init(from connection: Connection) throws {
    guard
      let identifier = try Self.text(.identifier, from: connection), !identifier.isEmpty,
      let fingerprint = try Self.text(.fingerprint, from: connection),
      let nextKey = try Self.integer(.nextKey, from: connection),
      let saves = try Self.integer(.saves, from: connection),
      (1...StoreNumbers.greatest).contains(nextKey), (0...StoreNumbers.greatest).contains(saves)
    else { throw DataStoreError(.storeDamaged, "the store's own table is incomplete or wrong") }
    self.identifier = identifier
    self.fingerprint = fingerprint
    guard let json = try Self.text(.schema, from: connection) else {
      let message = "the store's own table has no schema"
      throw Self.unknownSchema(message, message)
    }
    map = try Self.map(of: json)
  }

  /// The mappings of the last schemas by their JSON, as bytes: equal strings may have different
  /// ones.
  ///
  /// A program mostly opens stores of few schemas, such as one for each of its users, and decoding
  /// one takes long.
  private static let maps = Mutex<[[UInt8]: SchemaMap]>([:])
  private static let mostMaps = 8
  /// The length of the longest schema that is kept.
  private static let longestKept = 1 << 18

  private static func map(of json: String) throws -> SchemaMap {
    let bytes = Array(json.utf8)
    if let map = maps.withLock({ $0[bytes] }) { return map }
    let map = try SchemaMap(schema(of: json))
    guard bytes.count <= longestKept else { return map }
    maps.withLock { maps in
      if maps.count >= mostMaps { maps = [:] }
      maps[bytes] = map
    }
    return map
  }

  private static func schema(of json: String) throws -> StoreSchema {
    do {
      return try JSONDecoder().decode(StoreSchema.self, from: Data(json.utf8))
    } catch let error as DataStoreError {
      throw error
    } catch {
      throw unknownSchema("the store's schema cannot be read", "\(error)")
    }
  }

  private static func unknownSchema(_ message: String, _ reason: String) -> DataStoreError {
    let cause = SwiftDataError.unknownDataStoreSchema.with(reason)
    return DataStoreError(.storeDamaged, message, cause: cause)
  }

  /// Returns the version in a stored schema.
  static func version(ofSchema json: String) -> String {
    (try? schema(of: json).version) ?? "an unknown version"
  }

  /// Returns the error of a store that another program has given another schema.
  static func otherSchema(on connection: Connection) throws -> SQLiteError {
    SQLiteError(schemaVersion: version(ofSchema: try text(.schema, from: connection) ?? ""))
  }

  static func text(_ key: Key, from connection: Connection) throws -> String? {
    try value(key, from: connection) { $0.text(at: 0) }
  }

  static func integer(_ key: Key, from connection: Connection) throws -> Int64? {
    try value(key, from: connection) { $0.storedInteger(at: 0) }
  }

  /// Returns the version of the mapping that a file has.
  static func format(of connection: Connection) throws -> Int64 {
    try connection.integer("PRAGMA user_version") ?? 0
  }

  /// Returns the next key that no row has had.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` if it cannot be determined.
  static func nextKey(from connection: Connection) throws -> Int64 {
    guard let key = try integer(.nextKey, from: connection),
      (1...StoreNumbers.greatest).contains(key)
    else { throw DataStoreError(.storeDamaged, "the store's key counter is missing or invalid") }
    return key
  }

  private static func value<Value>(
    _ key: Key,
    from connection: Connection,
    _ read: (Statement) -> Value?
  ) throws -> Value? {
    try connection.withStatement("SELECT value FROM \"OpenSwiftData\" WHERE key = ?") {
      try $0.bind(key.rawValue, at: 1)
      return try $0.step() ? read($0) : nil
    }
  }

  private static let setting = "INSERT OR REPLACE INTO \"OpenSwiftData\" VALUES (?, ?)"

  static func set(_ key: Key, to text: String, on connection: Connection) throws {
    try connection.run(setting, .text(key.rawValue), .text(text))
  }

  /// Sets a number; saves that insert rows do so.
  static func set(_ key: Key, to number: Int64, on connection: Connection) throws {
    try connection.withStatement(setting) {
      try $0.bind(key.rawValue, at: 1)
      try $0.bind(number, at: 2)
      try $0.run()
    }
  }

  static func remove(_ key: String, on connection: Connection) throws {
    try connection.run("DELETE FROM \"OpenSwiftData\" WHERE key = ?", .text(key))
  }

  /// Writes a schema with its fingerprint, and returns the fingerprint.
  static func set(_ schema: StoreSchema, on connection: Connection) throws -> String {
    let json = try Self.json(of: schema)
    let fingerprint = Self.fingerprint(of: json)
    try set(.schema, to: json, on: connection)
    try set(.fingerprint, to: fingerprint, on: connection)
    return fingerprint
  }

  /// Returns a schema as JSON, which is equal for equal schemas.
  private static func json(of schema: StoreSchema) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(schema), as: UTF8.self)
  }

  /// Returns a 64-bit Fowler-Noll-Vo hash, which distinguishes versions of a schema.
  ///
  /// It is no protection against attackers.
  static func fingerprint(of json: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in json.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}
