import Foundation
import StoreProtocol

/// Rows as JSON objects on one line each, with the values in the form of a document.
///
/// Tools use this form to write and read rows outside a document. In addition to the properties, an
/// object has its entity as `$entity` and its key as `$id`; references are the keys of rows.
package enum RowText {
  /// The key of an object's entity, which no property can have.
  package static let entityKey = "$entity"

  /// An error for a line that is not a row, with its column.
  package struct Fault: Error, CustomStringConvertible {
    /// The character in the line, from 1.
    package let column: Int
    /// The description of the problem.
    package let sentence: String

    /// The column and the description.
    package var description: String { "column \(column): \(sentence)" }

    init(_ error: JSONError) {
      column = error.column
      sentence = error.sentence
    }
  }

  /// A row that was read; its references name the destinations of relationships.
  package struct Row: Sendable {
    /// The row's entity.
    package let entity: StoreEntity
    /// The row's key.
    package let key: Int64
    /// The values of the properties in the line, by their index in the entity.
    package let values: [(index: Int, value: StoreValue)]
  }

  /// Returns the line of a row, without a line break; properties without a value are left out.
  package static func line(
    of identifier: PersistentIdentifier,
    _ entity: StoreEntity,
    _ values: [(index: Int, value: StoreValue)]
  ) -> String {
    var printer = JSONPrinter()
    printer.append(json: "{\"$entity\":")
    printer.append(entity.name)
    printer.append(json: ",\"$id\":")
    printer.append(key: identifier.key)
    for (index, value) in values where !value.isNull {
      let property = entity.properties[index]
      printer.append(UInt8(ascii: ","))
      printer.append(property.name)
      printer.append(UInt8(ascii: ":"))
      printer.append(value, of: property, in: entity)
    }
    printer.append(UInt8(ascii: "}"))
    return String(decoding: printer.bytes, as: UTF8.self)
  }

  /// Returns the JSON text of a property's value.
  package static func text(
    of value: StoreValue,
    as property: StoreProperty,
    in entity: StoreEntity
  ) -> String {
    var printer = JSONPrinter()
    printer.append(value, of: property, in: entity)
    return String(decoding: printer.bytes, as: UTF8.self)
  }

  /// Returns a string as a JSON string.
  package static func quoted(_ text: String) -> String {
    var printer = JSONPrinter()
    printer.append(text)
    return String(decoding: printer.bytes, as: UTF8.self)
  }

  /// Reads the JSON text of an attribute's value.
  ///
  /// - Throws: ``Fault`` if the text is not such a value.
  package static func value(
    _ text: String,
    as property: StoreProperty,
    in entity: StoreEntity
  ) throws -> StoreValue {
    try Array(text.utf8).withUnsafeBytes { bytes throws -> StoreValue in
      do throws(JSONError) {
        var scanner = JSONScanner(bytes)
        let type = CellType(readable: property, in: entity)
        let cell = try scanner.readCell(type)
        try scanner.finish()
        return type.value(of: cell)
      } catch {
        throw Fault(error)
      }
    }
  }

  /// Reads a row of one of the entities of a schema.
  ///
  /// - Throws: ``Fault`` if the line is not such a row.
  package static func row(_ line: [UInt8], schema: StoreSchema) throws -> Row {
    try line.withUnsafeBytes { bytes throws -> Row in
      do throws(JSONError) {
        var scanner = JSONScanner(bytes)
        let entity = try entity(scanner, schema)
        let row = try scanner.readRow(of: entity)
        try scanner.finish()
        return row
      } catch {
        throw Fault(error)
      }
    }
  }

  /// Finds the entity of the next row, anywhere in the object.
  private static func entity(
    _ start: JSONScanner,
    _ schema: StoreSchema
  ) throws(JSONError) -> StoreEntity {
    var scanner = start
    var isFirst = true
    try scanner.beginObject()
    while let text = try scanner.nextMember(&isFirst) {
      guard try scanner.string(of: text) == entityKey else {
        try scanner.skipValue()
        continue
      }
      let name = try scanner.readString()
      guard let entity = schema.entity(named: name) else {
        throw scanner.error(.invalidValue("the schema has no entity \"\(name)\""), at: text.start)
      }
      return entity
    }
    throw start.error(.invalidValue("the object lacks \"\(entityKey)\", the name of its entity"))
  }
}

extension CellType {
  /// Creates the type of a property whose data is never in a file.
  fileprivate init(readable property: StoreProperty, in entity: StoreEntity) {
    let type = CellType(property, in: entity)
    self = type == .external ? .data : type
  }
}

extension JSONPrinter {
  fileprivate mutating func append(key: PersistentIdentifier.Key) {
    switch key {
    case .integer(let number): append(number)
    case .text(let text): append(text)
    case .temporary(let number): append("t\(number)")
    }
  }

  fileprivate mutating func append(
    _ value: StoreValue,
    of property: StoreProperty,
    in entity: StoreEntity
  ) {
    switch value {
    case .identifier(let identifier) where property.relationship != nil:
      append(key: identifier.key)
    case .identifiers(let list) where property.relationship != nil:
      append(elements: list) { $0.append(key: $1.key) }
    default:
      let type = CellType(readable: property, in: entity)
      // A value that does not fit its property is written in a form that includes its kind.
      if let cell = type.cell(of: value) {
        append(cell, as: type)
      } else {
        append(.value(value), as: .codable)
      }
    }
  }
}

extension JSONScanner {
  fileprivate mutating func readRow(of entity: StoreEntity) throws(JSONError) -> RowText.Row {
    var key: Int64?
    var values: [(index: Int, value: StoreValue)] = []
    var names = JSONKeys()
    var isFirst = true
    let start = self
    try beginObject()
    while let text = try nextMember(&isFirst) {
      let name = try string(of: text)
      guard names.insert(name) else { throw error(.duplicateKey(name), at: text.start) }
      if name == RowText.entityKey {
        try skipValue()
      } else if name == DocumentFormat.rowKey {
        key = try readInteger()
      } else if let index = entity.indexByName[name] {
        values.append((index, try readContent(of: entity.properties[index], in: entity)))
      } else {
        throw error(
          .invalidValue("\"\(name)\" is not a property of \(entity.name)"),
          at: text.start
        )
      }
    }
    guard let key else {
      throw start.error(.invalidValue("the row lacks the key \"\(DocumentFormat.rowKey)\""))
    }
    return RowText.Row(entity: entity, key: key, values: values)
  }

  private mutating func readContent(
    of property: StoreProperty,
    in entity: StoreEntity
  ) throws(JSONError) -> StoreValue {
    let type = CellType(readable: property, in: entity)
    func row(_ key: Int64) -> PersistentIdentifier {
      PersistentIdentifier(.integer(key), of: property.relationship?.destination ?? "")
    }
    switch (type, try readCell(type)) {
    case (.reference, .integer(let key)): return .identifier(row(key))
    case (_, .keys(let keys)): return .identifiers(keys.map(row))
    case (_, let cell): return type.value(of: cell)
    }
  }
}
