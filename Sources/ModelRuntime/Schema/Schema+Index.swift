import StoreProtocol

extension Schema {
  /// The indexes of a model, as declared by `#Index`.
  public final class Index<T>: SchemaProperty, CustomDebugStringConvertible
  where T: PersistentModel {
    /// The kinds of indexes.
    public enum Types<P> where P: PersistentModel {
      /// An ordered index.
      case binary([PartialKeyPath<P>])
      /// A spatial index over coordinates, stored as an ordered index if a store has no better one.
      case rtree([PartialKeyPath<P>])

      /// The indexed key paths.
      var keyPaths: [PartialKeyPath<P>] {
        switch self {
        case .binary(let paths), .rtree(let paths): paths
        }
      }
    }

    public var name = "SwiftData.Schema.Index"
    public var originalName = "SwiftData.Schema.Index"
    public var valueType: any Any.Type = Never.self
    public var isUnique: Bool { false }
    /// The indexes.
    public let indices: [Types<T>]

    /// Creates indexes of given kinds.
    public init(_ indices: Types<T>...) {
      self.indices = indices
    }

    /// Creates ordered indexes.
    public init(_ binaryIndices: [PartialKeyPath<T>]...) {
      indices = binaryIndices.map(Types.binary)
    }

    /// The keys of the encoded form.
    public enum CodingKeys: CodingKey {
      /// The indexes.
      case indices
    }

    /// Decodes names and ignores them, because key paths have no encoded form.
    public init(from decoder: any Decoder) throws {
      _ = try decoder.container(keyedBy: CodingKeys.self)
        .decode([[String]].self, forKey: .indices)
      indices = []
    }

    /// Encodes the indexes as lists of property names.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(propertyNames, forKey: .indices)
    }

    public static func == (lhs: Index, rhs: Index) -> Bool {
      lhs.propertyNames == rhs.propertyNames
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(propertyNames) }

    public var debugDescription: String { "#Index \(propertyNames)" }
  }

  /// The uniqueness constraints of a model, as declared by `#Unique`.
  public final class Unique<T>: SchemaProperty, CustomDebugStringConvertible
  where T: PersistentModel {
    public var name = "SwiftData.Schema.Unique"
    public var originalName = "SwiftData.Schema.Unique"
    public var valueType: any Any.Type = Never.self
    public var isUnique: Bool { true }
    /// The lists of properties whose combined values are unique.
    public let constraints: [[PartialKeyPath<T>]]

    /// Creates constraints.
    public init(_ constraints: [PartialKeyPath<T>]...) {
      self.constraints = constraints
    }

    /// The keys of the encoded form.
    public enum CodingKeys: CodingKey {
      /// The constraints.
      case constraints
    }

    /// Decodes names and ignores them, because key paths have no encoded form.
    public init(from decoder: any Decoder) throws {
      _ = try decoder.container(keyedBy: CodingKeys.self)
        .decode([[String]].self, forKey: .constraints)
      constraints = []
    }

    /// Encodes the constraints as lists of property names.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(propertyNames, forKey: .constraints)
    }

    public static func == (lhs: Unique, rhs: Unique) -> Bool {
      lhs.propertyNames == rhs.propertyNames
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(propertyNames) }

    public var debugDescription: String { "#Unique \(propertyNames)" }
  }
}

extension Schema.Index: PropertyNameLists {
  var namesOrNil: [[String?]] {
    let layout = ModelLayout.of(T.self)
    return indices.map { index in index.keyPaths.map { layout.propertyName(leadingBy: $0) } }
  }
}

extension Schema.Unique: PropertyNameLists {
  var namesOrNil: [[String?]] {
    let layout = ModelLayout.of(T.self)
    return constraints.map { list in list.map { layout.propertyName(leadingBy: $0) } }
  }
}
