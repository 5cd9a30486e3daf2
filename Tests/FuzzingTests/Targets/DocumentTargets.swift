import Foundation
import StoreFiles
import StoreProtocol

@testable import JSONFileStore

/// The files of a JSON store.
enum DocumentTargets {
  private static let store = "7E0B4F5C-2D0C-4F0E-9C1A-0F4B7C2E9A11"
  private static let schemaText: [UInt8] = (try? FuzzSample.schema.storeSchema.text()) ?? []

  static func document(_ bytes: [UInt8]) throws {
    try FuzzFiles.put(bytes)
    try openAndSave(nil, bytes)
  }

  static func rows(_ bytes: [UInt8]) throws {
    let document = envelope(rows: bytes)
    try FuzzFiles.put(document)
    try openAndSave(FuzzSample.schema, document)
  }

  static func records(_ bytes: [UInt8]) throws {
    let document = envelope(rows: Array(#"[{"$id":1,"name":"a"},{"$id":2,"parent":1}]"#.utf8))
    let header = header(of: document)
    var journal = header.bytes
    for (index, text) in bytes.split(separator: UInt8(ascii: "\n")).prefix(50).enumerated() {
      journal += JournalFrame.framed(Array(text), salt: header.recordSalt, number: index + 1)
    }
    try FuzzFiles.put(document, journal: journal)
    try openAndSave(FuzzSample.schema, document, journal: journal)
  }

  static func journal(_ bytes: [UInt8]) throws {
    let document = envelope(rows: Array("[]".utf8))
    try FuzzFiles.put(document, journal: bytes)
    try openAndSave(FuzzSample.schema, document, journal: bytes)
  }

  private static func envelope(rows: [UInt8]) -> [UInt8] {
    let head = #"{"format":"OpenSwiftData","version":1,"store":"\#(store)","generation":3,"#
    return Array((head + #""nextKey":7,"schema":"#).utf8) + schemaText
      + Array(#","entities":{"Item":"#.utf8) + rows + Array("}}".utf8)
  }

  private static func header(of document: [UInt8]) -> JournalHeader {
    JournalHeader(
      store: store,
      generation: 3,
      documentSize: Int64(document.count),
      documentChecksum: document.withUnsafeBytes { CRC32C.checksum(of: $0) },
      isSynced: true
    )
  }

  /// What is refused stays as it is; what is read can be saved to, and is the same afterwards.
  private static func openAndSave(
    _ schema: Schema?,
    _ document: [UInt8],
    journal: [UInt8]? = nil
  ) throws {
    let before: [String: [DefaultSnapshot]]?
    let isSaved: Bool
    do {
      let store = try FuzzFiles.open(schema)
      before = try readAll(store)
      isSaved = try before != nil && save(store)
      try store.close()
    } catch let error as DataStoreError {
      let isKept = FuzzFiles.bytes(FuzzFiles.document) == document
      try FuzzFailure.unless(isKept, "a document was changed and refused: \(error)")
      return
    }
    guard let before, isSaved else { return }
    let store = try FuzzFiles.open(schema, allowsSave: false)
    let after = try readAll(store)
    try FuzzFailure.unless(after == before, "a save changed other rows: \(before)")
  }

  /// The rows of all entities but those that ``save(_:)`` makes, or nil when some were refused.
  private static func readAll(_ store: JSONFileStore) throws -> [String: [DefaultSnapshot]]? {
    var rows: [String: [DefaultSnapshot]] = [:]
    for entity in store.schema.storeSchema.entities {
      do {
        rows[entity.name] = try store.fetch(StoreQuery(entity: entity.name))
          .filter { $0["name"] != .string("fuzz: new") }
          .map { DefaultSnapshot(of: $0) }
      } catch is DataStoreError {
        return nil
      }
    }
    return rows
  }

  /// Adds a row to the first entity and removes it again; false where the store refuses.
  private static func save(_ store: JSONFileStore) throws -> Bool {
    guard let entity = store.schema.storeSchema.entities.first else { return false }
    let new = FuzzSample.row(["name": .string("fuzz: new")], of: entity)
    do {
      let result = try store.apply(StoreChanges(inserted: [new]))
      guard result.merged.isEmpty else { return false }
      let made = result.remapped[new.persistentIdentifier]
      _ = try store.apply(StoreChanges(deleted: made.map { [$0] } ?? []))
      return true
    } catch is DataStoreError {
      return false
    }
  }
}

extension DefaultSnapshot {
  /// A row without its version.
  fileprivate init(of row: DefaultSnapshot) {
    self.init(
      persistentIdentifier: row.persistentIdentifier,
      names: row.names,
      values: row.values
    )
  }
}
