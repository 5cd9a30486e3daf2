import Foundation

/// A value of a fixture, as Foundation's decoder reads it.
enum FixtureValue: Codable {
  case object([String: FixtureValue])
  case list([FixtureValue])
  case text(String)
  case integer(Int64)
  case number(Decimal)
  /// A number outside of the range of decimals.
  case double(Double)
  case boolean(Bool)
  case null

  /// The largest nesting depth of values, which bounds the recursion.
  private static let depthLimit = 100

  private struct Key: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count <= Self.depthLimit else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "values nest deeper than 100 levels")
      )
    }
    if let members = try? decoder.container(keyedBy: Key.self) {
      self = .object(
        try Dictionary(
          uniqueKeysWithValues: members.allKeys.map {
            ($0.stringValue, try members.decode(FixtureValue.self, forKey: $0))
          }
        )
      )
    } else if var elements = try? decoder.unkeyedContainer() {
      var list: [FixtureValue] = []
      while !elements.isAtEnd { list.append(try elements.decode(FixtureValue.self)) }
      self = .list(list)
    } else {
      self = try Self.scalar(in: decoder.singleValueContainer())
    }
  }

  private static func scalar(in container: any SingleValueDecodingContainer) throws -> FixtureValue
  {
    if container.decodeNil() { return .null }
    if let text = try? container.decode(String.self) { return .text(text) }
    if let boolean = try? container.decode(Bool.self) { return .boolean(boolean) }
    if let integer = try? container.decode(Int64.self) { return .integer(integer) }
    if let number = try? container.decode(Decimal.self) { return .number(number) }
    return .double(try container.decode(Double.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .object(let members): try container.encode(members)
    case .list(let elements): try container.encode(elements)
    case .text(let text): try container.encode(text)
    case .integer(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number)
    case .double(let double): try container.encode(double)
    case .boolean(let boolean): try container.encode(boolean)
    case .null: try container.encodeNil()
    }
  }

  /// The key that an object can have: a string, or the digits of an integer.
  var key: String? {
    switch self {
    case .text(let text): text
    case .integer(let integer): String(integer)
    default: nil
    }
  }

  /// A word for the kind of the value, for messages.
  var kindName: String {
    switch self {
    case .object: "an object"
    case .list: "a list"
    case .text: "a string"
    case .integer(let integer): "\(integer)"
    case .number(let number): "\(number)"
    case .double(let double): "\(double)"
    case .boolean(let boolean): "\(boolean)"
    case .null: "null"
    }
  }
}
