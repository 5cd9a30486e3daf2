import CommandLineSupport
import OpenSwiftData

/// The readable name of an object: `Trip/4`.
enum ObjectName {
  /// Returns the identifier for a name.
  ///
  /// - Throws: `CommandFailure` for a string without entity and key, and for an unknown entity.
  static func identifier(_ text: String, in store: OpenedStore) throws -> PersistentIdentifier {
    guard let slash = text.lastIndex(of: "/"), slash != text.startIndex,
      text.index(after: slash) != text.endIndex
    else {
      throw CommandFailure("'\(text)' is not an object; write its entity and key, as Trip/4")
    }
    let entity = try store.entity(named: String(text[..<slash]))
    return identifier(entity, String(text[text.index(after: slash)...]), in: store)
  }

  /// Returns the identifier with a key.
  static func identifier(
    _ entity: StoreEntity,
    _ key: String,
    in store: OpenedStore
  ) -> PersistentIdentifier {
    PersistentIdentifier(
      Int64(key).map { .integer($0) } ?? .text(key),
      of: entity.name,
      in: store.store.identifier
    )
  }
}
