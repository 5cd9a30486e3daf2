import Foundation
import StoreProtocol

@testable import SQLiteStore

/// Values that come coded as JSON.
enum CodedTargets {
  /// A schema is read, and then understood or refused by every store, and written alike.
  static func schema(_ bytes: [UInt8]) throws {
    guard let schema = try roundTrip(StoreSchema.self, bytes) else { return }
    _ = Schema(storeSchema: schema)
    FuzzSample.understand(schema)
    _ = try? SchemaMap(schema)
  }

  static func snapshot(_ bytes: [UInt8]) throws {
    _ = try roundTrip(DefaultSnapshot.self, bytes)
  }

  static func identifier(_ bytes: [UInt8]) throws {
    guard let identifier = try roundTrip(PersistentIdentifier.self, bytes) else { return }
    _ = identifier.description
    try FuzzFailure.unless(!(identifier < identifier), "an identifier is below itself")
  }

  static func schemaSeed() throws -> [UInt8] { try coded(FuzzSample.schema.storeSchema) }

  static func snapshotSeed() throws -> [UInt8] {
    try coded(FuzzSample.row(FuzzSample.values))
  }

  static func identifierSeed() throws -> [UInt8] {
    try coded(PersistentIdentifier.identifier(for: "S", entityName: "Item", primaryKey: 4))
  }

  private static func coded(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return Array(try encoder.encode(value))
  }

  /// What can be read is written as something that is read as the same.
  private static func roundTrip<Value: Codable>(
    _ type: Value.Type,
    _ bytes: [UInt8]
  ) throws -> Value? {
    guard let value = try? JSONDecoder().decode(type, from: Data(bytes)) else { return nil }
    // Numbers that JSON lacks may stand in what was read.
    guard let written = try? coded(value) else { return value }
    let again = try JSONDecoder().decode(type, from: Data(written))
    try FuzzFailure.unless(coded(again) == written, String(decoding: written, as: UTF8.self))
    return value
  }
}
