import Foundation

/// A stored value, the common format of models and stores.
///
/// Every attribute of a model is converted to it at the boundary of a store. Equality and hashing
/// are exact: two doubles are equal if their bits are, two strings if their Unicode scalars are.
/// The equality of queries is different; see `QueryEvaluator`.
public enum StoreValue: Sendable {
  /// No value.
  case null
  /// A Boolean.
  case bool(Bool)
  /// An integer of any signed width, or an unsigned one that fits.
  case integer(Int64)
  /// An unsigned integer above `Int64.max`.
  case unsigned(UInt64)
  /// A floating-point number, NaN and -0.0 included.
  case double(Double)
  /// A decimal number.
  case decimal(Decimal)
  /// A string; URLs and characters are also stored as strings.
  case string(String)
  /// A date.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A universally unique identifier.
  case uuid(UUID)
  /// A to-one relationship.
  case identifier(PersistentIdentifier)
  /// A to-many relationship, in order.
  case identifiers([PersistentIdentifier])
  /// A sequence of values.
  case array([StoreValue])
  /// Named values in order: the members of a Codable structure or of a dictionary.
  case composite([Member])

  /// One named member of a composite value.
  public struct Member: Hashable, Sendable {
    /// The member's name, unique in its composite.
    public let name: String
    /// The member's value.
    public let value: StoreValue

    /// Creates a member.
    public init(_ name: String, _ value: StoreValue) {
      self.name = name
      self.value = value
    }
  }

  /// Whether this is the absence of a value.
  package var isNull: Bool {
    if case .null = self { return true }
    return false
  }

  /// Returns the value of a member of a composite, or `nil` if there is none.
  package func member(_ name: String) -> StoreValue? {
    guard case .composite(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// A name for the kind of this value, for messages.
  package var kindName: String {
    switch self {
    case .null: "nil"
    case .bool: "a Boolean"
    case .integer, .unsigned: "an integer"
    case .double: "a floating-point number"
    case .decimal: "a decimal number"
    case .string: "a string"
    case .date: "a date"
    case .data: "data"
    case .uuid: "a UUID"
    case .identifier: "an identifier"
    case .identifiers: "a list of identifiers"
    case .array: "a list"
    case .composite: "a composite value"
    }
  }

  /// The value in a few characters, for messages.
  package var excerpt: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value): "\"\(value.prefix(40))\(value.count > 40 ? "…" : "")\""
    case .date(let value): "\(value)"
    case .data(let value): "\(value.count) bytes"
    case .uuid(let value): "\(value)"
    case .identifier(let value): "\(value)"
    case .identifiers(let values): Self.list(values, "[", "]") { "\($0)" }
    case .array(let values): Self.list(values, "[", "]", \.excerpt)
    case .composite(let members): Self.list(members, "(", ")") { "\($0.name): \($0.value.excerpt)" }
    }
  }

  private static func list<Element>(
    _ elements: [Element],
    _ start: String,
    _ end: String,
    _ text: (Element) -> String
  ) -> String {
    let listed = elements.prefix(3).map(text) + (elements.count > 3 ? ["…"] : [])
    return start + listed.joined(separator: ", ") + end
  }
}

extension StoreValue: Hashable {
  /// Compares the contents exactly, bit for bit and scalar for scalar.
  public static func == (lhs: StoreValue, rhs: StoreValue) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.unsigned(let a), .unsigned(let b)): a == b
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.decimal(let a), .decimal(let b)): a == b || (a.isNaN && b.isNaN)
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.date(let a), .date(let b)):
      a.timeIntervalSinceReferenceDate.bitPattern == b.timeIntervalSinceReferenceDate.bitPattern
    case (.data(let a), .data(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.identifier(let a), .identifier(let b)): a == b
    case (.identifiers(let a), .identifiers(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.composite(let a), .composite(let b)): a == b
    default: false
    }
  }

  /// Hashes the values that `==` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .unsigned(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.bitPattern)
    case .decimal(let value): hasher.combine(value.isNaN ? "nan" : value.description)
    case .string(let value): for byte in value.utf8 { hasher.combine(byte) }
    case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .identifier(let value): hasher.combine(value)
    case .identifiers(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .composite(let value): hasher.combine(value)
    }
  }
}
