import CoreDataFiles
import Foundation
import StoreProtocol

/// Reads the rows of a plan in the order of their keys, with the lists beside them.
///
/// Rows and lists come in the order of the rows' keys, so that each list is read once, in step with
/// the rows: memory is constant.
final class SourceRows {
  private let content: SourceContent
  private let plan: RowPlan
  private let rows: SourceStatement
  private var lists: [ListReader]

  /// Begins to read the rows with some keys within the table, or all for `nil`.
  init(_ content: SourceContent, _ plan: RowPlan, keys: [Int64]?) throws {
    self.content = content
    self.plan = plan
    rows = try content.reader.prepare(plan.select(keys: keys))
    lists = try plan.lists.map { try ListReader(content.reader, $0, isByKey: keys != nil) }
  }

  /// Returns the next row, or `nil` after the last.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` with the entity, the property and the row for a value
  ///   that cannot be read, unless the store leaves such values out.
  func next() throws -> DefaultSnapshot? {
    guard try rows.step() else { return nil }
    guard let key = rows.integer(0), let number = rows.integer(1),
      let (entity, sources) = plan.entities[number]
    else { throw DataStoreError(.storeDamaged, "a row has no key", file: content.reader.path) }
    let identifier = try content.identifier(key, number: number, rank: plan.rank)
    var targets: [Int: [PersistentIdentifier]] = [:]
    for position in lists.indices {
      targets[position] = try lists[position].targets(of: key, content)
    }
    var values: [StoreValue] = []
    values.reserveCapacity(sources.count)
    for (property, source) in zip(entity.properties, sources) {
      values.append(try value(property, source, identifier, targets))
    }
    return DefaultSnapshot(persistentIdentifier: identifier, entity: entity, values: values)
  }

  private func value(
    _ property: StoreProperty,
    _ source: RowPlan.Source,
    _ row: PersistentIdentifier,
    _ targets: [Int: [PersistentIdentifier]]
  ) throws -> StoreValue {
    do {
      switch source {
      case .absent: return property.isToMany && !property.isDerivedToMany ? .identifiers([]) : .null
      case .list(let position): return .identifiers(targets[position] ?? [])
      case .reference(let key, let entity):
        guard let key = rows.integer(key) else { return .null }
        guard let number = rows.integer(entity) else {
          throw AttributeReader.Problem(reason: "it refers to row \(key), which is missing")
        }
        return .identifier(try content.identifier(key, number: number))
      case .attribute(let attribute, let columns):
        let value = try content.attributes.value(attribute, columns) { name in
          plan.columns[name].map(rows.cell) ?? .null
        }
        let fitting = try content.conversion.convert(value, to: property)
        if fitting.isNull, !property.isOptional {
          throw AttributeReader.Problem(reason: "it is NULL, although the model requires a value")
        }
        return fitting
      }
    } catch let problem as AttributeReader.Problem {
      return try content.problems.settle(problem, property, of: row, path: content.reader.path)
    }
  }
}

/// Reads the targets of a relationship for owners in the order of their keys.
private struct ListReader {
  private let statement: SourceStatement
  private let isByKey: Bool
  /// The pair that was read last and belongs to a later owner.
  private var ahead: (owner: Int64, target: Int64, number: Int64?)?
  private var isAtEnd = false

  init(_ reader: SourceReader, _ list: RowPlan.List, isByKey: Bool) throws {
    self.isByKey = isByKey
    let condition = isByKey ? "= ?1" : "IS NOT NULL"
    statement = try reader.prepare(
      "\(list.select) WHERE \(list.owner) \(condition) ORDER BY \(list.order)"
    )
  }

  mutating func targets(
    of owner: Int64,
    _ content: SourceContent
  ) throws -> [PersistentIdentifier] {
    if isByKey {
      statement.reset()
      statement.bind(owner, at: 1)
      ahead = nil
      isAtEnd = false
    }
    var result: [PersistentIdentifier] = []
    while let pair = try peek(), pair.owner <= owner {
      // References to missing rows are passed over, and so are lists of rows that nobody reads.
      if pair.owner == owner, let number = pair.number {
        result.append(try content.identifier(pair.target, number: number))
      }
      ahead = nil
    }
    return result
  }

  private mutating func peek() throws -> (owner: Int64, target: Int64, number: Int64?)? {
    if ahead == nil, !isAtEnd {
      if try statement.step() {
        ahead = (statement.integer(0) ?? 0, statement.integer(1) ?? 0, statement.integer(2))
      } else {
        isAtEnd = true
      }
    }
    return ahead
  }
}
