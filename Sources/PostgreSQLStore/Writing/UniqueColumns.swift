import Foundation
import PostgreSQLClient
import RowChanges
import StoreProtocol
import StructuredText

/// The columns with the unique values of rows to be written, one for each constraint of their table.
struct UniqueColumns {
  private let table: EntityTable
  private let catalog: Catalog
  var arrays: [ArrayBuilder]
  /// The properties of each constraint in the entity of the current row, or `nil` if it lacks the
  /// constraint.
  private var constraints: [[Int]?] = []
  private var isUnique: [Bool] = []
  /// The values of the current row's properties in constraints, as bytes that are equal exactly if the
  /// values are.
  ///
  /// They are empty for a value that equals no other.
  private var texts: [[UInt8]] = []
  private var row: [UInt8] = []
  private var failure: (any Error)?

  init(of table: EntityTable, _ catalog: Catalog) {
    (self.table, self.catalog) = (table, catalog)
    arrays = table.constraints.map { _ in ArrayBuilder(of: Data.self) }
  }

  /// Prepares for rows of an entity.
  mutating func begin(_ entity: String) throws {
    if arrays.isEmpty { return }
    let entity = try catalog.schema.requiredEntity(entity)
    let own = catalog.schema.constraints(of: entity)
    constraints = table.constraints.map { constraint in
      own.contains(constraint) ? constraint.properties.compactMap { entity.indexByName[$0] } : nil
    }
    let unique = Set(constraints.compactMap(\.self).joined())
    isUnique = entity.properties.indices.map(unique.contains)
    texts = entity.properties.map { _ in [] }
  }

  /// Returns whether a property of the current row is part of a constraint.
  @inline(__always)
  func contains(_ property: Int) -> Bool { !isUnique.isEmpty && isUnique[property] }

  mutating func note(_ value: StoreValue, at property: Int) {
    guard let compared = value.comparedForm else { return }
    do {
      try JSONText.append(element: compared, to: &texts[property])
    } catch {
      failure = error
    }
  }

  /// Appends the unique values of the current row, and prepares for the next one.
  mutating func endRow() throws {
    if let failure { throw failure }
    for (index, properties) in constraints.enumerated() {
      guard let properties, !properties.contains(where: { texts[$0].isEmpty }) else {
        arrays[index].appendNull()
        continue
      }
      // As ``uniqueBytes``, without memory for each row.
      for property in properties {
        row.append(UInt8(ascii: row.isEmpty ? "[" : ","))
        row += texts[property]
      }
      row.append(UInt8(ascii: "]"))
      row.withUnsafeBufferPointer { arrays[index].append(bytes: $0) }
      row.removeAll(keepingCapacity: true)
    }
    for index in texts.indices where isUnique[index] {
      texts[index].removeAll(keepingCapacity: true)
    }
  }
}

extension [StoreValue] {
  /// The values of a constraint as bytes that are equal exactly if the values are, or `nil` if one of
  /// them equals no other.
  var uniqueBytes: Data? {
    get throws {
      let compared = compactMap(\.comparedForm)
      guard compared.count == count else { return nil }
      return Data(try JSONText.encoded(.array(compared)).utf8)
    }
  }
}
