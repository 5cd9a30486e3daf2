import CoreDataFiles
import Foundation
import StoreProtocol

/// Creates values from an attribute's columns.
struct AttributeReader: Sendable {
  /// The reason why a value cannot be read; the store adds its location.
  struct Problem: Error {
    let reason: String
    var kind = UnreadableValue.Kind.damaged
    var cause: (any Error)?
  }

  let externalFolder: URL
  /// The maximum size in bytes of an external file that is read.
  static let maximumExternalSize = 1 << 30

  /// Reads a value.
  ///
  /// - Parameters:
  ///   - attribute: The attribute, or an element of a composite.
  ///   - columns: The columns of the attribute.
  ///   - isElement: Whether it is an element of a composite, whose bytes may be JSON text.
  ///   - remarks: The ways in which the value was read.
  ///   - cell: Returns the cell of a column.
  /// - Returns: The value, or `.null` if there is none.
  /// - Throws: ``Problem`` if the cells have no value of the attribute's type.
  func value(
    _ attribute: ManagedModel.Attribute,
    _ columns: SourceLayout.AttributeColumns,
    isElement: Bool = false,
    remarks: inout Set<ReadingRemark.Kind>,
    _ cell: (String) -> SourceCell
  ) throws(Problem) -> StoreValue {
    switch columns {
    case .none: return .null
    case .column(let name):
      return try scalar(attribute, cell(name), isElement: isElement, &remarks)
    case .elements(let elements): return try composite(attribute, elements, &remarks, cell)
    }
  }

  private func composite(
    _ attribute: ManagedModel.Attribute,
    _ elements: [(ManagedModel.Attribute, SourceLayout.AttributeColumns)],
    _ remarks: inout Set<ReadingRemark.Kind>,
    _ cell: (String) -> SourceCell
  ) throws(Problem) -> StoreValue {
    var members: [StoreValue.Member] = []
    for (element, columns) in elements {
      let value = try value(
        element,
        columns,
        isElement: true,
        remarks: &remarks,
        cell
      )
      if !value.isNull { members.append(StoreValue.Member(element.name, value)) }
    }
    if attribute.rawValue != nil { return members.first?.value ?? .null }
    if attribute.isEnumeration {
      guard members.count <= 1 else { throw Problem(reason: "it has several cases at once") }
      guard let member = members.first else { return .null }
      // A case without associated values has its own name in its column.
      let isPlain = member.value == .string(member.name)
      return .composite([.init(member.name, isPlain ? .composite([]) : member.value)])
    }
    // A structure whose elements are all nil cannot be distinguished from nil.
    if members.isEmpty { remarks.insert(.absentStructure) }
    return members.isEmpty && attribute.isOptional ? .null : .composite(members)
  }

  private func scalar(
    _ attribute: ManagedModel.Attribute,
    _ cell: SourceCell,
    isElement: Bool,
    _ remarks: inout Set<ReadingRemark.Kind>
  ) throws(Problem) -> StoreValue {
    if case .null = cell { return .null }
    switch attribute.type {
    case .integer16, .integer32, .integer64: return .integer(try integer(cell))
    case .boolean: return .bool(try integer(cell) != 0)
    case .double: return .double(try number(cell))
    case .float: return .double(Double(Float(try number(cell))))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: try number(cell)))
    case .decimal: return .decimal(try decimal(cell, &remarks))
    case .string, .uri: return .string(try string(cell))
    case .uuid:
      guard case .blob(let bytes) = cell, let id = UUID(bytes: bytes) else {
        throw Problem(reason: "\(cell.kindName) is not a UUID")
      }
      return .uuid(id)
    case .binary:
      let bytes = try bytes(attribute, cell, &remarks)
      if isElement, case .json? = try? TransformableContent(bytes),
        let value = StoreValue(json: bytes)
      {
        remarks.insert(.decodedJSON)
        return value
      }
      return .data(Data(bytes))
    case .transformable: return try transformable(bytes(attribute, cell, &remarks), &remarks)
    case .undefined, .objectID, .composite: return .null
    }
  }

  private func transformable(
    _ bytes: [UInt8],
    _ remarks: inout Set<ReadingRemark.Kind>
  ) throws(Problem) -> StoreValue {
    do {
      switch try TransformableContent(bytes) {
      case .value(let value):
        remarks.insert(value.hasOwnClass ? .ownClass : .decodedArchive)
        return StoreValue(value)
      case .json:
        guard let value = StoreValue(json: bytes) else { break }
        remarks.insert(.decodedJSON)
        return value
      case .bytes: break
      }
      remarks.insert(.unknownBytes)
      return .data(Data(bytes))
    } catch {
      throw Problem(reason: "its archive cannot be read", cause: error)
    }
  }

  private func integer(_ cell: SourceCell) throws(Problem) -> Int64 {
    switch cell {
    case .integer(let value): return value
    case .real(let value):
      if let exact = Int64(exactly: value) { return exact }
    default: break
    }
    throw Problem(reason: "\(cell.kindName) is not an integer")
  }

  private func number(_ cell: SourceCell) throws(Problem) -> Double {
    switch cell {
    case .integer(let value): return Double(value)
    case .real(let value): return value
    default: throw Problem(reason: "\(cell.kindName) is not a number")
    }
  }

  private func decimal(
    _ cell: SourceCell,
    _ remarks: inout Set<ReadingRemark.Kind>
  ) throws(Problem) -> Decimal {
    switch cell {
    case .integer(let value): return Decimal(value)
    case .real(let value):
      // The shortest digits that result in the number, as SQLite read them from a text of at most
      // 15.
      remarks.insert(.roundedDecimal)
      if let decimal = Decimal(string: "\(value)", locale: nil) { return decimal }
    case .text(let bytes):
      let text = String(decoding: bytes, as: UTF8.self)
      if let decimal = Decimal(string: text, locale: nil) { return decimal }
    default: break
    }
    throw Problem(reason: "\(cell.kindName) is not a decimal number")
  }

  private func string(_ cell: SourceCell) throws(Problem) -> String {
    switch cell {
    case .text(let bytes):
      guard let string = String(validating: bytes, as: UTF8.self) else {
        throw Problem(reason: "a string is not valid UTF-8")
      }
      return string
    case .integer(let value): return String(value)
    case .real(let value): return String(value)
    default: throw Problem(reason: "\(cell.kindName) is not a string")
    }
  }

  private func bytes(
    _ attribute: ManagedModel.Attribute,
    _ cell: SourceCell,
    _ remarks: inout Set<ReadingRemark.Kind>
  ) throws(Problem) -> [UInt8] {
    let bytes: [UInt8]
    switch cell {
    case .blob(let blob): bytes = blob
    case .text(let text): bytes = text
    default: throw Problem(reason: "\(cell.kindName) is not data")
    }
    guard attribute.allowsExternalStorage else { return bytes }
    switch ExternalReference(bytes) {
    case .inline(let rest): return [UInt8](rest)
    case .file(let name):
      remarks.insert(.externalFile)
      return try external(name)
    case .unknown:
      remarks.insert(.unmarkedBytes)
      return bytes
    }
  }

  private func external(_ name: String) throws(Problem) -> [UInt8] {
    let url = externalFolder.appending(path: name)
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else {
        throw Problem(
          reason: "the external file \(name) is a link or not a regular file",
          kind: .externalFile
        )
      }
      guard let size = attributes[.size] as? Int, size <= Self.maximumExternalSize else {
        throw Problem(
          reason: "the external file \(name) exceeds \(Self.maximumExternalSize) bytes",
          kind: .externalFile
        )
      }
      return [UInt8](try Data(contentsOf: url))
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(
        reason: "the external file \(name) is missing or cannot be read",
        kind: .externalFile,
        cause: error
      )
    }
  }
}
