import Foundation
import StoreProtocol

/// The constants of the document's format; see `Documentation/JSONFormat.md`.
enum DocumentFormat {
  /// The value of a document's member `format`.
  static let name = "OpenSwiftData"
  /// The newest version of the format that this code reads, and the version that it writes.
  static let version: Int64 = 3
  /// The nesting levels of a document's members, its entities, their rows and the rows' members.
  static let depths = (member: 1, entity: 2, row: 3, value: 4)
  /// The key of a row's identifier, which no property can have.
  static let rowKey = "$id"
  /// The maximum nesting depth of a stored value; the document around it needs some additional
  /// levels.
  static let deepestValue = JSONScanner.maximumDepth - 8

  /// Returns the error for a file with invalid content.
  static func damaged(_ file: String, _ error: JSONError) -> DataStoreError {
    let cause: any Error =
      if case .unknownSchema = error.reason {
        SwiftDataError.unknownDataStoreSchema.with(error.description)
      } else {
        error
      }
    return DataStoreError(
      .storeDamaged,
      "\(error.description); the file was not changed: fix it or restore a backup",
      file: file,
      offset: error.offset,
      cause: cause
    )
  }
}

/// The format of one entity's rows: the names, and the format of each value.
struct RowFormat: Sendable {
  /// One property; a class, so that passing it costs one reference.
  // Unchecked: the memory is written when the field is created, and freed with it.
  final class Field: @unchecked Sendable {
    /// The name in the text.
    let name: String
    /// The bytes of the name between the quotes, if nothing is escaped.
    let bytes: [UInt8]
    /// The index in the entity, or `nil` if the entity no longer has the property.
    let index: Int?
    let type: CellType
    /// The bytes that precede the value, in memory that extends to the end of their last word.
    ///
    /// Reading them counts no reference; they are valid as long as the field.
    let prefix: UnsafeBufferPointer<UInt8>

    init(name: String, index: Int?, type: CellType) {
      self.name = name
      self.index = index
      self.type = type
      bytes = Array(name.utf8)
      var printer = JSONPrinter()
      printer.append(UInt8(ascii: ","))
      printer.append(name)
      printer.append(UInt8(ascii: ":"))
      let (text, words) = (printer.bytes, (printer.count + 7) / 8)
      let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: words * 8)
      memory.initialize(repeating: 0)
      _ = memory.update(fromContentsOf: text)
      prefix = UnsafeBufferPointer(rebasing: memory[..<text.count])
    }

    deinit { prefix.deallocate() }
  }

  let entity: StoreEntity
  let fields: [Field]
  /// The cells of a row without any property.
  let defaults: [Cell]

  /// Creates the format of rows that were written with this or another version of the entity.
  ///
  /// Properties are found by their current or original name; new ones have their default value.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - stored: The version with which the rows were written, or `nil` for the same one.
  init(_ entity: StoreEntity, writtenAs stored: StoreEntity? = nil) {
    let stored = stored ?? entity
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
