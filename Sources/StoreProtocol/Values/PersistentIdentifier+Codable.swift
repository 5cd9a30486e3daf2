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
    let prefix = session + "/"
    if isTemporary, text.hasPrefix(prefix), let number = Int64(text.dropFirst(prefix.count)) {
      return .temporary(number)
    }
    return .text(text)
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
