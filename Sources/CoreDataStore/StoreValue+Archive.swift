import CoreDataFiles
import Foundation
import StoreProtocol

extension StoreValue {
  /// Creates a value from an archived one.
  ///
  /// Dictionaries become composites in the order of their keys if all keys are strings. Otherwise
  /// they become lists of alternating keys and values. Objects of other classes become composites
  /// of their fields, with the class's name as the element `$class`.
  init(_ archived: ArchivedValue) {
    switch archived {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .integer(value)
    case .unsigned(let value): self = .unsigned(value)
    case .real(let value): self = .double(value)
    case .decimal(let value): self = .decimal(value)
    case .date(let value): self = .date(Date(timeIntervalSinceReferenceDate: value))
    case .data(let bytes): self = .data(Data(bytes))
    case .string(let value), .url(let value): self = .string(value)
    case .uuid(let value): self = .uuid(value)
    case .array(let elements): self = .array(elements.map { StoreValue($0) })
    case .dictionary(let entries): self = Self.dictionary(entries)
    case .object(let className, let fields):
      let members = fields.sorted { $0.key < $1.key }.map { Member($0.key, StoreValue($0.value)) }
      self = .composite([Member("$class", .string(className))] + members)
    }
  }

  private static func dictionary(_ entries: [ArchivedValue.Entry]) -> StoreValue {
    var members: [String: StoreValue] = [:]
    for entry in entries {
      guard case .string(let name) = entry.key else {
        return .array(entries.flatMap { [StoreValue($0.key), StoreValue($0.value)] })
      }
      members[name] = StoreValue(entry.value)
    }
    return .composite(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
  }

  /// Creates a value from JSON text, or returns `nil` if the text is not JSON.
  ///
  /// The elements of objects are in the order of their names.
  init?(json bytes: [UInt8]) {
    let decoder = JSONDecoder()
    guard let value = try? decoder.decode(JSONText.self, from: Data(bytes)) else { return nil }
    self = value.value
  }
}

extension ArchivedValue {
  /// Whether the value is or contains an object of a class that is not Foundation's.
  var hasOwnClass: Bool {
    switch self {
    case .object: true
    case .array(let elements): elements.contains { $0.hasOwnClass }
    case .dictionary(let entries): entries.contains { $0.key.hasOwnClass || $0.value.hasOwnClass }
    default: false
    }
  }
}

private struct JSONText: Decodable {
  let value: StoreValue

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: AnyKey.self) {
      let members = try container.allKeys.map { key in
        StoreValue.Member(key.stringValue, try container.decode(JSONText.self, forKey: key).value)
      }
      value = .composite(members.sorted { $0.name < $1.name })
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [StoreValue] = []
      while !container.isAtEnd { elements.append(try container.decode(JSONText.self).value) }
      value = .array(elements)
    } else {
      value = try Self.scalar(decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> StoreValue {
    if container.decodeNil() { return .null }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(Int64.self) { return .integer(value) }
    if let value = try? container.decode(UInt64.self) { return .unsigned(value) }
    if let value = try? container.decode(Double.self) { return .double(value) }
    return .string(try container.decode(String.self))
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
