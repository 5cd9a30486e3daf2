import OpenSwiftData

/// The shape of structured values, as far as the values of a store show it.
indirect enum ValueShape: Hashable, Sendable {
  /// A member of a structure.
  struct Member: Hashable, Sendable {
    let name: String
    var shape: ValueShape
    /// Whether some values lack the member.
    var isOptional: Bool
  }

  /// A case of an enumeration with its associated values.
  struct Case: Hashable, Sendable {
    let name: String
    var values: [Member]
  }

  /// No value was seen.
  case unknown
  case bool, integer, unsigned, double, decimal, string, date, data, uuid
  case array(ValueShape)
  case structure([Member])
  /// An enumeration in Swift's coded form: the case as the only member, its values in `_0`, `_1`
  /// and so on.
  case enumeration([Case])

  init(_ value: StoreValue) {
    switch value {
    case .null, .identifier, .identifiers: self = .unknown
    case .bool: self = .bool
    case .integer: self = .integer
    case .unsigned: self = .unsigned
    case .double: self = .double
    case .decimal: self = .decimal
    case .string: self = .string
    case .date: self = .date
    case .data: self = .data
    case .uuid: self = .uuid
    case .array(let elements):
      self = .array(elements.reduce(.unknown) { $0.joined(with: ValueShape($1)) ?? $0 })
    case .composite(let members):
      let all = members.map {
        Member(name: $0.name, shape: ValueShape($0.value), isOptional: $0.value.isNull)
      }
      if let values = Self.associatedValues(of: members) {
        self = .enumeration([Case(name: members[0].name, values: values)])
      } else {
        self = .structure(all)
      }
    }
  }

  /// Returns the associated values of the only member of a composite, or `nil` if it is not a case.
  private static func associatedValues(of members: [StoreValue.Member]) -> [Member]? {
    guard members.count == 1, case .composite(let values) = members[0].value,
      values.enumerated().allSatisfy({ $1.name == "_\($0)" })
    else { return nil }
    return values.map { Member(name: $0.name, shape: ValueShape($0.value), isOptional: false) }
  }

  /// Returns the shape that includes the values of both, or `nil` if there is none.
  func joined(with other: ValueShape) -> ValueShape? {
    switch (self, other) {
    case (.unknown, let shape), (let shape, .unknown): return shape
    case (.integer, .double), (.double, .integer): return .double
    case (.array(let own), .array(let other)): return own.joined(with: other).map { .array($0) }
    case (.enumeration(let own), .enumeration(let other)): return Self.joined(own, other)
    case (.structure(let own), .structure(let other)): return Self.joined(own, other)
    default: return self == other ? self : nil
    }
  }

  private static func joined(_ own: [Case], _ other: [Case]) -> ValueShape? {
    var result = own
    for next in other {
      guard let position = result.firstIndex(where: { $0.name == next.name }) else {
        result.append(next)
        continue
      }
      guard case .structure(let values)? = joined(result[position].values, next.values),
        values.count == next.values.count
      else { return nil }
      result[position].values = values
    }
    return .enumeration(result)
  }

  private static func joined(_ own: [Member], _ other: [Member]) -> ValueShape? {
    var result = own
    for member in other {
      guard let position = result.firstIndex(where: { $0.name == member.name }) else {
        result.append(Member(name: member.name, shape: member.shape, isOptional: true))
        continue
      }
      guard let shape = result[position].shape.joined(with: member.shape) else { return nil }
      result[position].shape = shape
      result[position].isOptional = result[position].isOptional || member.isOptional
    }
    for position in own.indices where !other.contains(where: { $0.name == own[position].name }) {
      result[position].isOptional = true
    }
    return .structure(result)
  }
}
