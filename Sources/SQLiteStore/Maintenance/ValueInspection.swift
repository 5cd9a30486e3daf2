import Foundation
import SQLTranslation
import StoreProtocol
import StructuredText

/// Checks the values of one row.
struct ValueInspection {
  /// A value with its column and property.
  struct Cell {
    let statement: Statement
    let position: Int
    let column: ColumnMap
    let property: StoreProperty
    let entity: StoreEntity

    var isNull: Bool { statement.isNull(at: position) }
  }

  struct ValueProblem {
    let message: String
    var file: String?

    init(_ message: String, file: String? = nil) {
      (self.message, self.file) = (message, file)
    }
  }

  let connection: Connection
  let table: TableMap
  let references: ReferenceReader

  /// Returns the problem with a value, or `nil` if there is none.
  func objection(to cell: Cell, _ content: ColumnMap.Content) throws -> ValueProblem? {
    switch content {
    case .value(let type): return try objection(to: cell, as: type)
    case .reference:
      let isFitting = cell.isNull || cell.statement.storage(at: cell.position) == .integer
      return isFitting ? nil : ValueProblem("the column does not contain a row's key")
    case .order:
      return cell.isNull || isKeyList(cell)
        ? nil : ValueProblem("the column does not contain a list of keys")
    }
  }

  private func objection(to cell: Cell, as type: AttributeType) throws -> ValueProblem? {
    if cell.isNull {
      // The value of a Codable type can be null.
      let mayLack = cell.property.isOptional || type == .codable
      return mayLack ? nil : ValueProblem("the property is required and has no value")
    }
    if let reference = cell.statement.fileReference(at: cell.position, as: type) {
      guard table.fileColumns.contains(cell.column) else {
        let mark = cell.column.fileMark(in: table.name)
        return ValueProblem(
          "the value is in the file \(reference.name), and the entry \(mark) is missing"
        )
      }
      return try fileObjection(to: cell, as: type)
    }
    guard let value = cell.statement.value(at: cell.position, as: type), type.canBe(value) else {
      return ValueProblem("the file contains a value that is not of the type \(type.rawValue)")
    }
    return try isUnmarked(cell, type)
      ? ValueProblem(
        "SQL and Swift compare the value differently, and the entry "
          + "\(cell.column.inexactMark(in: table.name)) is missing"
      ) : nil
  }

  private func fileObjection(to cell: Cell, as type: AttributeType) throws -> ValueProblem? {
    do {
      let value = try references.value(
        cell.statement,
        at: cell.position,
        as: type,
        cell.entity,
        cell.property
      )
      return value == nil
        ? ValueProblem(
          "the file of the value does not contain a value of the type \(type.rawValue)"
        )
        : nil
    } catch let error as DataStoreError
      where error == .storeDamaged || error == .storeNotTrusted
    {
      return ValueProblem(error.message, file: error.file)
    }
  }

  /// Whether the value would need a mark that the column does not have.
  private func isUnmarked(_ cell: Cell, _ type: AttributeType) throws -> Bool {
    try type.hasInexactValues && !cell.statement.value(at: cell.position).isExact
      && !InexactColumns.isMarked(cell.column, in: table, on: connection)
  }

  private func isKeyList(_ cell: Cell) -> Bool {
    guard cell.statement.storage(at: cell.position) == .text,
      let text = cell.statement.text(at: cell.position),
      case .array(let values)? = try? JSONText.decoded(text)
    else { return false }
    return values.allSatisfy { if case .integer = $0 { true } else { false } }
  }
}

extension AttributeType {
  /// Whether a value that was read from a column of the type can be assigned to a property of it.
  fileprivate func canBe(_ value: StoreValue) -> Bool {
    switch self {
    case .url: URL(storeValue: value) != nil
    default: !isInteger || value.converted(to: self) != nil
    }
  }
}
