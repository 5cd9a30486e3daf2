import Foundation
import StoreProtocol

/// The words and numbers of the document's format; see `Documentation/JSONFormat.md`.
enum DocumentFormat {
  /// What the member `format` of a document says.
  static let name = "OpenSwiftData"
  /// The newest version of the format that this code reads, and the one that it writes.
  static let version: Int64 = 3
  /// The key of a row's identity, which no property can have.
  static let rowKey = "$id"
  /// How deep a stored value may be nested; the document around it needs some levels more.
  static let deepestValue = JSONScanner.maximumDepth - 8

  /// The error for a file with wrong content.
  static func damaged(_ file: String, _ error: JSONError) -> DataStoreError {
    DataStoreError(
      .storeDamaged,
      "\(error.description); the file was left as it is: mend it or restore a backup",
      file: file,
      offset: error.offset,
      cause: error
    )
  }
}

/// How the rows of one entity are written: the names, and how each value is.
struct RowFormat: Sendable {
  /// One property; a class, so that handing it on costs one reference.
  final class Field: Sendable {
    /// The name in the text.
    let name: String
    /// The bytes of the name, as they stand between quotes when nothing is escaped.
    let bytes: [UInt8]
    /// The position in the entity, or nil for what the entity has no longer.
    let index: Int?
    let type: CellType
    /// The bytes that come before the value.
    let prefix: [UInt8]

    init(name: String, index: Int?, type: CellType) {
      self.name = name
      self.index = index
      self.type = type
      bytes = Array(name.utf8)
      var printer = JSONPrinter()
      printer.append(UInt8(ascii: ","))
      printer.append(name)
      printer.append(UInt8(ascii: ":"))
      prefix = printer.bytes
    }
  }

  let entity: StoreEntity
  let fields: [Field]
  /// The cells of a row in which no property stands.
  let defaults: [Cell]

  /// The format of rows that were written with the same schema.
  init(_ entity: StoreEntity) {
    self.entity = entity
    fields = entity.properties.enumerated().map { index, property in
      Field(name: property.name, index: index, type: CellType(property, in: entity))
    }
    defaults = entity.properties.map { _ in .null }
  }

  /// The format of rows that were written with another version of the entity.
  ///
  /// Properties are found by their name or by the name that they had; new ones have their
  /// default value.
  init(_ entity: StoreEntity, writtenAs stored: StoreEntity) {
    self.entity = entity
    var taken: Set<Int> = []
    fields = stored.properties.map { old in
      let index =
        entity.indexByName[old.name]
        ?? entity.properties.firstIndex { $0.originalName == old.name }
      if let index { taken.insert(index) }
      let property = index.map { entity.properties[$0] } ?? old
      return Field(
        name: old.name,
        index: index,
        type: CellType(property, in: index == nil ? stored : entity)
      )
    }
    defaults = entity.properties.enumerated().map { index, property in
      guard !taken.contains(index), let value = property.defaultValue else { return .null }
      return CellType(property, in: entity).cell(of: value) ?? .null
    }
  }
}
