import CoreDataFiles
import Foundation
import StoreProtocol

/// The information about a store in its tables, before any row is read.
struct SourceTables: Sendable {
  /// A row of `Z_PRIMARYKEY`.
  struct Entity: Hashable, Sendable {
    let number: Int64
    fileprivate(set) var name: String
    /// The number of the superentity, or 0 for roots.
    let superentity: Int64
  }

  /// The number of the first entity of the framework itself, for history and synchronization.
  private static let firstInternalNumber = 16_001

  /// The identifier of the store (`Z_UUID`).
  let identifier: String
  let metadata: StoreMetadata
  /// The entities by number.
  private(set) var entities: [Entity]
  /// The compressed model, or `nil` if the store has none.
  let cachedModel: [UInt8]?
  /// The columns of each table, by upper-case name.
  let columns: [String: [String]]
  /// The names of the tables without an entity: those of the history and of synchronization.
  let otherTables: [String]

  /// Reads the tables.
  ///
  /// - Throws: ``DataStoreError/storeNotTrusted`` if the file is no store of Core Data, or
  ///   ``DataStoreError/storeDamaged``.
  init(_ reader: SourceReader) throws {
    // Virtual tables have no page.
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
    let tables = try reader.rows(sql) { $0.string(0) ?? "" }
    guard Set(tables).isSuperset(of: ["Z_PRIMARYKEY", "Z_METADATA"]) else {
      throw DataStoreError(
        .storeNotTrusted,
        "the file is not a Core Data or SwiftData store; it lacks the tables Z_PRIMARYKEY and "
          + "Z_METADATA",
        file: reader.path
      )
    }
    let rows = try reader.rows("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 2") {
      ($0.string(0), $0.cell(1))
    }
    guard rows.count == 1, let identifier = rows[0].0 else {
      throw DataStoreError(.storeDamaged, "Z_METADATA has no identity", file: reader.path)
    }
    self.identifier = identifier
    metadata = try Self.metadata(rows[0].1, reader.path)
    entities = try Self.entities(reader)
    if tables.contains("Z_MODELCACHE"),
      case .blob(let bytes)? = try reader.rows(
        "SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1",
        {
          $0.cell(0)
        }
      ).first
    {
      cachedModel = bytes
    } else {
      cachedModel = nil
    }
    var columns: [String: [String]] = [:]
    for table in tables where table.hasPrefix("Z") {
      columns[table] = try reader.rows("PRAGMA table_info(\(SourceReader.quoted(table)))") {
        $0.string(1) ?? ""
      }
    }
    self.columns = columns
    otherTables = tables.filter { !$0.hasPrefix("Z") && !$0.hasPrefix("sqlite_") }.sorted()
  }

  private static func metadata(_ cell: SourceCell, _ path: String) throws -> StoreMetadata {
    do {
      switch cell {
      case .null: return StoreMetadata()
      case .blob(let list): return try StoreMetadata(list)
      default: throw FormatError(.propertyList, "it is \(cell.kindName)")
      }
    } catch {
      throw DataStoreError(.storeDamaged, "the metadata cannot be read", file: path, cause: error)
    }
  }

  /// Reads the entities of the program, by number.
  private static func entities(_ reader: SourceReader) throws -> [Entity] {
    let sql =
      "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY "
      + "WHERE Z_ENT < \(firstInternalNumber) ORDER BY Z_ENT"
    return try reader.rows(sql) {
      Entity(number: $0.integer(0) ?? 0, name: $0.string(1) ?? "", superentity: $0.integer(2) ?? 0)
    }
  }

  /// Takes the model's names of the entities that a migration renamed.
  ///
  /// Core Data leaves the old name of a subentity in `Z_PRIMARYKEY`.
  mutating func rename(by model: ManagedModel) {
    for entity in model.entities where number(of: entity.name) == nil {
      guard let original = entity.originalName, model.entity(named: original) == nil,
        let index = entities.firstIndex(where: { $0.name == original })
      else { continue }
      entities[index].name = entity.name
    }
  }

  /// Returns the name of an entity.
  func name(of number: Int64) -> String? {
    entities.first { $0.number == number }?.name
  }

  /// Returns the number of an entity.
  func number(of name: String) -> Int64? {
    entities.first { $0.name == name }?.number
  }
}
