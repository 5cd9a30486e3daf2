import Foundation
import StoreHelpers
import StoreProtocol

/// Converts the values of a batch of changes to cells.
///
/// A reference to a row of the batch without a key becomes the negative of its temporary number,
/// until ``withAssignedKeys(_:)`` replaces it by the key.
struct IncomingValues {
  let storeIdentifier: String
  /// The path of the document, for errors.
  let file: String
  /// The keys of rows with temporary identifiers, or `nil` if no row of the batch can refer to
  /// another.
  var keys: TemporaryKeys?
  /// The upper limit of the keys when the batch is applied, which no row reaches.
  var nextKey: Int64

  /// Returns the cell of a value.
  ///
  /// - Throws: `invalidValue` if the value does not fit the property.
  func cell(
    of value: StoreValue,
    as type: CellType,
    _ property: Int,
    _ entity: StoreEntity
  ) throws -> Cell {
    switch (type, value) {
    case (.reference, .identifier(let identifier)):
      return try key(of: identifier, entity, property).map(Cell.integer) ?? .null
    case (.references, .identifiers(let list)):
      return .keys(try list.compactMap { try key(of: $0, entity, property) }.withoutRepeats)
    case (.decimal, .decimal(let number)):
      // A decimal of 39 digits has no text that is read back exactly.
      guard Decimal(exactText: number.description) != nil else { break }
      return .value(value)
    case (.codable, .array), (.codable, .composite):
      try checkDepth(of: value, property, entity)
      return .value(value)
    default:
      if let cell = type.cell(of: value) { return cell }
    }
    throw DataStoreError(
      .invalidValue,
      "\(value.kindName) does not fit the property",
      entity: entity.name,
      property: entity.properties[property].name
    )
  }

  /// Checks that a value is not nested too deeply to be read again.
  private func checkDepth(
    of value: StoreValue,
    _ property: Int,
    _ entity: StoreEntity
  ) throws {
    // A level of a value becomes at most three in its text, and hardly any has so many.
    guard value.isDeeper(than: DocumentFormat.deepestValue / 4) else { return }
    var printer = JSONPrinter()
    printer.append(tagged: value)
    try printer.withBytes { bytes in
      do throws(JSONError) {
        var scanner = JSONScanner(bytes)
        scanner.depth = DocumentFormat.depths.value
        try scanner.skipValue()
      } catch {
        throw DataStoreError(
          .invalidValue,
          "a value is nested deeper than \(DocumentFormat.deepestValue) levels",
          entity: entity.name,
          property: entity.properties[property].name,
          file: file,
          cause: error
        )
      }
    }
  }

  /// Returns the key of a row that a relationship refers to, or `nil` for a row of another store.
  func key(
    of identifier: PersistentIdentifier,
    _ entity: StoreEntity,
    _ property: Int
  ) throws -> Int64? {
    guard identifier.storeIdentifier ?? storeIdentifier == storeIdentifier else { return nil }
    return try key(of: identifier.key, entity, property)
  }

  /// Returns the key of a row that a relationship refers to, or `nil` if no row can have it.
  func key(
    of key: PersistentIdentifier.Key,
    _ entity: StoreEntity,
    _ property: Int
  ) throws -> Int64? {
    switch key {
    case .text: return nil
    case .integer(let key): return key > 0 && key < nextKey ? key : nil
    case .temporary(let number):
      guard let keys, keys.contains(number) else {
        throw DataStoreError(
          .invalidValue,
          "the relationship refers to a new object that is not part of the save",
          entity: entity.name,
          property: entity.properties[property].name
        )
      }
      return keys[number] ?? -number
    }
  }

  /// Returns the references of a relationship that no row of this store can have.
  func lost(
    _ value: StoreValue,
    _ property: Int,
    _ entity: StoreEntity
  ) throws -> [LostTarget] {
    try value.identifiers.filter { try key(of: $0, entity, property) == nil }
      .map { (property, $0.key) }
  }

  /// A reference that no row of this store can have.
  typealias LostTarget = (property: Int, target: PersistentIdentifier.Key)

  /// Returns a relationship with the keys of rows that have one by now; others are left out.
  func withAssignedKeys(_ cell: Cell) -> Cell {
    switch cell {
    case .integer(let key) where key < 0: return keys?[-key].map(Cell.integer) ?? .null
    case .keys(let list) where list.contains { $0 < 0 }:
      return .keys(list.compactMap { $0 < 0 ? keys?[-$0] : $0 }.withoutRepeats)
    default: return cell
    }
  }
}

extension StoreValue {
  /// Whether the value has more than a number of levels.
  fileprivate func isDeeper(than levels: Int) -> Bool {
    switch self {
    case .array(let elements):
      levels == 0 || elements.contains { $0.isDeeper(than: levels - 1) }
    case .composite(let members):
      levels == 0 || members.contains { $0.value.isDeeper(than: levels - 1) }
    default: false
    }
  }

  /// Returns the value with identifiers replaced at any depth.
  func deeplyMapping(_ replace: (PersistentIdentifier) -> PersistentIdentifier) -> StoreValue {
    switch self {
    case .array(let elements): .array(elements.map { $0.deeplyMapping(replace) })
    case .composite(let members):
      .composite(members.map { Member($0.name, $0.value.deeplyMapping(replace)) })
    default: mappingReferences(replace)
    }
  }
}
