import Foundation
import OpenSwiftData
import StoreTestSupport

/// Random saves and queries, whose outcomes are compared as texts.
struct RandomEdits {
  private(set) var random: RandomSchema
  private var numbers: SeededGenerator
  private let schema: StoreSchema

  init(_ random: RandomSchema, _ numbers: SeededGenerator) {
    self.random = random
    self.numbers = numbers
    schema = random.schema
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &numbers) < percent
  }

  // MARK: Saves

  /// Saves insertions, updates and deletions in one batch, and returns the outcome in each store.
  mutating func save(to stores: [any RecordStore]) throws -> [String] {
    let changes = try changes(stores[0])
    return try stores.map { store in
      let last = try (store as? any HistoryKeeping)?.historyBounds().last ?? 0
      var outcome = Self.outcome {
        let result = try store.apply(Self.translated(changes, to: store))
        let new = changes.inserted.map { record in
          let row = record.persistentIdentifier
          return (result.remapped[row].map(\.rowText) ?? "-")
            + (result.merged.contains(row) ? " merged" : "")
        }
        return "\(new)"
      }
      outcome += try Self.history(of: store, after: last)
      return outcome
    }
  }

  /// Returns a batch in terms of a store's rows.
  private mutating func changes(_ store: any RecordStore) throws -> StoreChanges {
    var stored: [PersistentIdentifier] = []
    var changes = StoreChanges()
    for entity in schema.entities {
      stored += try store.identifiers(StoreQuery(entity: entity.name, includesSubentities: false))
    }
    stored.sort { ($0.entityName, $0.integerKey ?? 0) < ($1.entityName, $1.integerKey ?? 0) }
    changes.deleted = stored.filter { _ in chance(12) }
    changes.requiresNew = chance(10)
    let kept = stored.filter { !changes.deleted.contains($0) }
    var new: [(entity: RandomSchema.Entity, row: PersistentIdentifier)] = []
    for entity in random.entities {
      for _ in 0..<Int.random(in: 0..<3, using: &numbers) {
        let key = PersistentIdentifier.Key.temporary(PersistentIdentifier.nextTemporaryNumber())
        new.append((entity, PersistentIdentifier(key, of: entity.name)))
      }
    }
    let targets = kept + new.map(\.row)
    for (entity, row) in new {
      guard let stored = schema.entity(named: entity.name) else { continue }
      var values = random.values(of: entity)
      for (index, property) in stored.properties.enumerated()
      where !property.isOptional || chance(50) {
        values[index] = target(of: property, among: targets) ?? values[index]
      }
      changes.inserted.append(
        DefaultSnapshot(persistentIdentifier: row, entity: stored, values: values)
      )
    }
    for row in kept where chance(25) {
      if let update = update(of: row, among: targets) { changes.updated.append(update) }
    }
    return changes
  }

  private mutating func update(
    of row: PersistentIdentifier,
    among targets: [PersistentIdentifier]
  ) -> StoreUpdate? {
    guard let entity = schema.entity(named: row.entityName) else { return nil }
    var changes: [StoreUpdate.Change] = []
    for (index, property) in entity.properties.enumerated() where chance(40) {
      if let type = property.attributeType {
        let isAbsent = property.isOptional && chance(30)
        let value = random.value(of: type, Int.random(in: 0..<5, using: &numbers))
        changes.append(.init(index, isAbsent ? .null : value))
      } else if let value = target(of: property, among: targets) {
        changes.append(.init(index, value))
      }
    }
    return changes.isEmpty ? nil : StoreUpdate(identifier: row, changes: changes)
  }

  /// Returns a value for a relationship that one end alone stores.
  private mutating func target(
    of property: StoreProperty,
    among rows: [PersistentIdentifier]
  ) -> StoreValue? {
    guard let relationship = property.relationship, !property.isDerivedToMany,
      !property.isKeptByBothEnds
    else { return nil }
    let family = schema.family(of: relationship.destination).map(\.name)
    let found = rows.filter { family.contains($0.entityName) }.shuffled(using: &numbers)
    if property.isToMany { return .identifiers(Array(found.prefix(2))) }
    return found.first.map { .identifier($0) }
  }

  // MARK: Queries

  private mutating func constant(of type: AttributeType) -> StoreValue {
    random.value(of: type, Int.random(in: 0..<5, using: &numbers))
  }

  /// Returns the results of some queries by attributes, for which stores may use indexes.
  mutating func queries(_ stores: [any RecordStore]) throws -> [String] {
    var outcomes = stores.map { _ in "" }
    for entity in schema.entities {
      for property in entity.properties {
        guard let type = property.attributeType, type != .codable else { continue }
        let value = QueryExpression.property(.element(0), property.name)
        var filters: [QueryExpression?] = [
          nil, .compare(.equal, value, .constant(constant(of: type))),
        ]
        if type == .string { filters.append(.searches(value, TextSearch("12"))) }
        for filter in filters {
          var query = StoreQuery(entity: entity.name, filter: filter)
          if filter == nil { query.sort = [QuerySort(property: property.name)] }
          for index in stores.indices {
            let part = try stores[index].plan(.query(query))
            guard part.isComplete, part.sorts || query.sort.isEmpty else { continue }
            let rows = try stores[index].identifiers(query).map(\.rowText)
            outcomes[index] += " \(entity.name).\(property.name) \(rows)"
          }
        }
      }
    }
    return outcomes
  }

  // MARK: Outcomes

  private static func outcome(_ body: () throws -> String) -> String {
    do { return try body() } catch let error as DataStoreError {
      // Stores find one of several conflicts in a batch.
      if error == .uniqueConflict { return "\(error.code)" }
      let rows = error.identifiers.map(\.rowText)
      return "\(error.code) \(error.entity ?? "-").\(error.property ?? "-") \(rows)"
    } catch { return "\(error)" }
  }

  /// Returns the changes that the history recorded after a save.
  private static func history(of store: any RecordStore, after last: Int64) throws -> String {
    guard let store = store as? any HistoryKeeping else { return "" }
    let found = try store.transactions(StoreHistoryQuery(filter: .number(.greater, last)))
    return found.map { transaction in
      let changes = Array(transaction.changes).map { change in
        let values = [change.before, change.after].map { values in
          values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.rowText)" }
        }
        return "\(change.kind) \(change.identifier.rowText) \(change.properties) \(change.cause) "
          + "\(change.clearedProperties) \(values)"
      }
      return "\n  " + changes.joined(separator: "\n  ")
    }
    .joined(separator: "\n-")
  }

  private static func translated(
    _ changes: StoreChanges,
    to store: any RecordStore
  ) -> StoreChanges {
    func row(_ row: PersistentIdentifier) -> PersistentIdentifier {
      row.integerKey.map {
        PersistentIdentifier(.integer($0), of: row.entityName, in: store.identifier)
      }
        ?? row
    }
    var result = changes
    result.inserted = changes.inserted.map { record in
      DefaultSnapshot(
        persistentIdentifier: record.persistentIdentifier,
        names: record.names,
        values: record.values.map { $0.mappingReferences(row) }
      )
    }
    result.updated = changes.updated.map { update in
      StoreUpdate(
        identifier: row(update.identifier),
        changes: update.changes.map { .init($0.index, $0.value.mappingReferences(row)) }
      )
    }
    result.deleted = changes.deleted.map(row)
    return result
  }
}

extension PersistentIdentifier {
  /// The entity and the key, which are the same in every store.
  var rowText: String { "\(entityName) \(integerKey ?? -1)" }
}

extension StoreValue {
  /// A text that is the same for equal values in every store.
  var rowText: String {
    switch self {
    case .identifier(let identifier): identifier.rowText
    case .identifiers(let all): "\(all.map(\.rowText))"
    case .string(let text): "\(Array(text.unicodeScalars))"
    case .double(let number): "\(number.bitPattern)"
    case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
    default: "\(self)"
    }
  }
}
