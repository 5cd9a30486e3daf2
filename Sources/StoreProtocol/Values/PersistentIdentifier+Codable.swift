import Foundation

extension PersistentIdentifier: Codable {
  private enum OuterKey: String, CodingKey { case implementation }

  private enum InnerKey: String, CodingKey {
    case entityName, isTemporary, primaryKey, storeIdentifier, uriRepresentation
  }

  /// Decodes an identifier.
  ///
  /// A temporary identifier of another process never equals one of this process.
  public init(from decoder: any Decoder) throws {
    let outer = try decoder.container(keyedBy: OuterKey.self)
    let inner = try outer.nestedContainer(keyedBy: InnerKey.self, forKey: .implementation)
    let entityName = try inner.decode(String.self, forKey: .entityName)
    let store = try inner.decodeIfPresent(String.self, forKey: .storeIdentifier)
    self.init(
      scope: Scope(storeIdentifier: store, entityName: entityName),
      key: try Self.decodeKey(from: inner)
    )
  }

  private static func decodeKey(from inner: KeyedDecodingContainer<InnerKey>) throws -> Key {
    if let number = try? inner.decode(Int64.self, forKey: .primaryKey) { return .integer(number) }
    let text = try inner.decode(String.self, forKey: .primaryKey)
    let isTemporary = try inner.decodeIfPresent(Bool.self, forKey: .isTemporary) ?? false
    return key(of: text, isTemporary: isTemporary)
  }

  private static func key(of text: String, isTemporary: Bool) -> Key {
    let prefix = session + "/"
    if isTemporary, text.hasPrefix(prefix), let number = Int64(text.dropFirst(prefix.count)) {
      return .temporary(number)
    }
    return .text(text)
  }

  /// Creates the identifier that a stored value encodes, or returns `nil` if it encodes none.
  fileprivate init?(encodedAs value: StoreValue) {
    guard case .composite(let members) = value, members.count == 1,
      let inner = value.member(OuterKey.implementation.rawValue),
      case .string(let entity)? = inner.member(InnerKey.entityName.rawValue),
      let stored = inner.member(InnerKey.primaryKey.rawValue)
    else { return nil }
    let key: Key
    switch stored {
    case .integer(let number): key = .integer(number)
    case .string(let text):
      let isTemporary = inner.member(InnerKey.isTemporary.rawValue) == .bool(true)
      key = Self.key(of: text, isTemporary: isTemporary)
    default: return nil
    }
    var store: String?
    if case .string(let name)? = inner.member(InnerKey.storeIdentifier.rawValue) { store = name }
    self.init(scope: Scope(storeIdentifier: store, entityName: entity), key: key)
  }

  /// Encodes entity, store and key under the member `implementation`, as SwiftData does.
  public func encode(to encoder: any Encoder) throws {
    var outer = encoder.container(keyedBy: OuterKey.self)
    var inner = outer.nestedContainer(keyedBy: InnerKey.self, forKey: .implementation)
    try inner.encode(entityName, forKey: .entityName)
    try inner.encode(isTemporary, forKey: .isTemporary)
    try inner.encodeIfPresent(storeIdentifier, forKey: .storeIdentifier)
    switch key {
    case .integer(let number): try inner.encode(number, forKey: .primaryKey)
    case .text(let text): try inner.encode(text, forKey: .primaryKey)
    case .temporary(let number):
      try inner.encode("\(Self.session)/\(number)", forKey: .primaryKey)
    }
    let store = storeIdentifier ?? "unsaved"
    try inner.encode("x-openswiftdata://\(store)/\(description)", forKey: .uriRepresentation)
  }
}

extension StoreValue {
  /// The identifier that the value of an attribute encodes, or `nil` if it encodes none.
  package var encodedIdentifier: PersistentIdentifier? { PersistentIdentifier(encodedAs: self) }
}
