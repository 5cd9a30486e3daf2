import Foundation
import QueryEvaluation
import StoreProtocol

/// All that an archive holds, as a value: a save works on a copy.
struct Archive: Codable, Sendable {
  let identifier: String
  let schema: StoreSchema
  /// The last key that was ever given; none is given twice.
  var lastKey = 0
  var rows: [Int: DefaultSnapshot] = [:]

  /// Deletes, then updates, then inserts.
  mutating func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    var result = StoreChangesResult()
    for row in changes.deleted { rows[row.number] = nil }
    for record in changes.inserted {
      lastKey += 1
      let new = record.persistentIdentifier
      let scope = PersistentIdentifier.Scope(
        storeIdentifier: identifier,
        entityName: new.entityName
      )
      result.remapped[new] = PersistentIdentifier(scope: scope, key: .integer(Int64(lastKey)))
    }
    for update in changes.updated {
      let key = update.identifier.number
      guard let row = rows[key] else {
        throw DataStoreError(.conflict, "the row \(update.identifier) is gone; fetch again")
      }
      for change in update.changes {
        guard row.values.indices.contains(change.index) else {
          throw DataStoreError(.invalidValue, "the row has no property \(change.index)")
        }
        rows[key]?.values[change.index] = change.value
      }
    }
    for record in changes.inserted {
      guard let new = result.remapped[record.persistentIdentifier] else { continue }
      rows[new.number] = try row(record, new)
    }
    rows = try rows.mapValues { try settled($0, result.remapped) }
    return result
  }

  /// A record as a row, with its values in the order of its entity's properties.
  private func row(_ record: DefaultSnapshot, _ new: PersistentIdentifier) throws -> DefaultSnapshot
  {
    let entity = try entity(new.entityName)
    let values = entity.properties.map { record[$0.name] ?? .null }
    return DefaultSnapshot(persistentIdentifier: new, entity: entity, values: values)
  }

  /// A row with each reference leading to a row that is there.
  private func settled(
    _ row: DefaultSnapshot,
    _ remapped: [PersistentIdentifier: PersistentIdentifier]
  ) throws -> DefaultSnapshot {
    func lead(_ one: PersistentIdentifier) throws -> PersistentIdentifier? {
      guard one.integerKey != nil || remapped[one] != nil else {
        throw DataStoreError(.invalidValue, "a reference to \(one), which is not saved along")
      }
      return rows[(remapped[one] ?? one).number]?.persistentIdentifier
    }
    var settled = row
    settled.values = try row.values.map { value in
      switch value {
      case .identifier(let one): return try lead(one).map { .identifier($0) } ?? .null
      case .identifiers(let list):
        var seen: Set<PersistentIdentifier> = []
        return .identifiers(try list.compactMap(lead).filter { seen.insert($0).inserted })
      default: return value
      }
    }
    return settled
  }

  /// The rows of a query, by the one definition of what queries mean.
  func evaluate(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    _ = try entity(query.entity)
    func queryRow(_ record: DefaultSnapshot) throws -> SnapshotRow {
      SnapshotRow(record, try entity(record.persistentIdentifier.entityName))
    }
    let evaluator = QueryEvaluator<SnapshotRow>(
      schema: schema,
      row: { try rows[$0.number].map(queryRow) },
      members: members
    )
    return try evaluator.evaluate(query, over: rows.values.map(queryRow)).map(\.record)
  }

  /// The members of a relationship: those whose own reference leads here, ordered by the list.
  private func members(_ row: SnapshotRow, _ index: Int) -> [PersistentIdentifier] {
    var listed: [PersistentIdentifier] = []
    if case .identifiers(let list) = row.value(at: index) { listed = list }
    let property = row.entity.properties[index]
    guard property.isDerivedToMany, let relationship = property.relationship,
      let inverse = relationship.inverse
    else { return listed }
    let belonging = rows.values.filter { $0[inverse] == .identifier(row.identifier) }
      .map(\.persistentIdentifier)
      .filter { schema.isEntity($0.entityName, kindOf: relationship.destination) }
    return MemberOrder.ordered(belonging, by: listed)
  }

  private func entity(_ name: String) throws -> StoreEntity {
    if let entity = schema.entity(named: name) { return entity }
    throw DataStoreError(.schemaMismatch, "the archive's schema lacks this entity", entity: name)
  }
}

extension Archive {
  /// Reads a file, nil where there is none.
  init?(at url: URL) throws {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    do {
      self = try JSONDecoder().decode(Archive.self, from: Data(contentsOf: url))
      // Decoded values stand in the order of their names.
      rows = try rows.mapValues { try row($0, $0.persistentIdentifier) }
    } catch {
      throw DataStoreError(.storeDamaged, "it is no archive", file: url.path, cause: error)
    }
  }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(self)
  }
}

extension ArchiveConfiguration {
  /// Writes a new file and replaces the old one with it: one of them always exists.
  func replaceFile(by data: Data) throws {
    let new = fileURL.appendingPathExtension("new")
    do {
      try beforeStep()
      try data.write(to: new)
      try sync(new)
      try beforeStep()
      guard rename(new.path, fileURL.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      throw DataStoreError(.notSaved, "nothing is saved", file: fileURL.path, cause: error)
    }
    guard (try? sync(fileURL.deletingLastPathComponent())) != nil else {
      throw DataStoreError(.outcomeUnknown, "a loss of power may undo it", file: fileURL.path)
    }
  }

  private func sync(_ url: URL) throws {
    try beforeStep()
    try FileHandle(forReadingFrom: url).synchronize()
  }
}

extension PersistentIdentifier {
  /// The number by which an archive knows a row, 0 for one that it does not.
  var number: Int { integerKey.map(Int.init) ?? 0 }
}
