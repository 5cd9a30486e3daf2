import CoreDataFiles
import Foundation
import StoreProtocol

/// Reads the rows of a plan in the order of their keys, together with their lists.
///
/// Rows and lists are both in the order of the rows' keys, so that each list is read once, in step
/// with the rows. Memory is constant.
final class SourceRows {
  private let content: SourceContent
  private let plan: RowPlan
  private let rows: SourceStatement
  private var lists: [ListReader]
  private var lastKey: Int64 = 0

  /// Creates a reader of the rows with some keys of the table, or of all for `nil`.
  init(_ content: SourceContent, _ plan: RowPlan, keys: [Int64]?) throws {
    self.content = content
    self.plan = plan
    rows = try content.reader.prepare(plan.select(keys: keys))
    lists = try plan.lists.map { try ListReader(content.reader, $0, owners: keys) }
  }

  /// Returns the next row, or `nil` after the last.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` with the entity, the property and the row for a
  ///   value that cannot be read, unless the store omits such values.
  func next() throws -> DefaultSnapshot? {
    guard try rows.step() else { return nil }
    content.countRow()
    guard let key = rows.integer(0), let number = rows.integer(1),
      let (entity, sources) = plan.entities[number]
    else { throw DataStoreError(.storeDamaged, "a row has no key", file: content.reader.path) }
    guard key > lastKey else {
      throw DataStoreError(.storeDamaged, "two rows have the key \(key)", file: content.reader.path)
    }
    lastKey = key
    let identifier = try content.identifier(key, number: number, rank: plan.rank)
    var targets: [RelatedRows] = []
    for position in lists.indices { targets.append(try lists[position].targets(of: key, content)) }
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
    _ targets: [RelatedRows]
  ) throws -> StoreValue {
    do {
      switch source {
      case .uri: return .string(content.uri(rows.integer(0) ?? 0, number: rows.integer(1) ?? 0))
      case .absent: return property.isToMany && !property.isDerivedToMany ? .identifiers([]) : .null
      case .list(let position):
        for key in targets[position].missing {
          _ = try replacement(.missing(key), property, of: row)
        }
        return .identifiers(targets[position].identifiers)
      case .reference(_, let key, let entity):
        guard let key = rows.integer(key) else { return .null }
        guard let number = rows.integer(entity) else {
          throw AttributeReader.Problem.missing(key)
        }
        return .identifier(try content.identifier(key, number: number))
      case .attribute(let attribute, let columns):
        var remarks: Set<ReadingRemark.Kind> = []
        let value = try content.attributes.value(attribute, columns, remarks: &remarks) { name in
          plan.columns[name].map(rows.cell) ?? .null
        }
        if !remarks.isEmpty {
          content.remarks.add(remarks, entity: row.entityName, property: property.name)
        }
        let fitting = try content.conversion.convert(value, to: property)
        if fitting.isNull, !property.isOptional {
          throw AttributeReader.Problem(
            reason: "it is NULL, although the model requires a value; make the property optional",
            kind: .missing
          )
        }
        return fitting
      }
    } catch let problem as AttributeReader.Problem {
      return try replacement(problem, property, of: row)
    }
  }

  private func replacement(
    _ problem: AttributeReader.Problem,
    _ property: StoreProperty,
    of row: PersistentIdentifier
  ) throws -> StoreValue {
    try content.problems.replacement(problem, property, of: row, path: content.reader.path)
  }
}

extension AttributeReader.Problem {
  /// The problem of a reference to a row that does not exist.
  static func missing(_ key: Int64) -> Self {
    Self(reason: "it refers to row \(key), which is missing", kind: .dangling)
  }
}
