import Foundation
import Synchronization

/// The identifier of a model: its store, entity and row.
///
/// An identifier is temporary until its model is first saved. Then it has no store identifier, and
/// the save replaces it with a permanent one. Stores never reuse a permanent identifier.
public struct PersistentIdentifier: Hashable, Identifiable, Sendable {
  /// The row's key within its store.
  public enum Key: Hashable, Sendable {
    /// A row number, as in all built-in stores.
    case integer(Int64)
    /// A key of another type, by its description.
    case text(String)
    /// The number of an unsaved model, unique in this process.
    case temporary(Int64)
  }

  /// The store and the entity of an identifier, shared by all identifiers of a kind.
  public final class Scope: Hashable, Sendable {
    /// The identifier of the store, or `nil` for unsaved models.
    package let storeIdentifier: String?
    /// The name of the entity.
    package let entityName: String

    /// Creates a scope; keep and share it, because identifiers of one scope compare fastest.
    public init(storeIdentifier: String?, entityName: String) {
      self.storeIdentifier = storeIdentifier
      self.entityName = entityName
    }

    /// Compares the stores and the entities.
    public static func == (lhs: Scope, rhs: Scope) -> Bool {
      lhs === rhs
        || (lhs.entityName == rhs.entityName && lhs.storeIdentifier == rhs.storeIdentifier)
    }

    /// Hashes the entity's name.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(entityName)
    }
  }

  /// An opaque value that is unique within the store.
  public struct ID: Hashable, Sendable {
    let key: Key
    let scope: Scope
  }

  /// The store and entity.
  package let scope: Scope
  /// The row's key.
  public let key: Key

  /// Creates an identifier from its parts.
  public init(scope: Scope, key: Key) {
    self.scope = scope
    self.key = key
  }

  /// Creates the only identifier of its scope.
  package init(_ key: Key, of entity: String, in store: String? = nil) {
    self.init(scope: Scope(storeIdentifier: store, entityName: entity), key: key)
  }

  /// Returns a new identifier of an unsaved row.
  package static func temporary(of entity: String) -> PersistentIdentifier {
    PersistentIdentifier(.temporary(nextTemporaryNumber()), of: entity)
  }

  /// The opaque value of this identifier.
  public var id: ID { ID(key: key, scope: scope) }

  /// The name of the model's entity.
  public var entityName: String { scope.entityName }

  /// The identifier of the store, or `nil` for an unsaved model.
  public var storeIdentifier: String? { scope.storeIdentifier }

  /// Whether the model is unsaved.
  public var isTemporary: Bool {
    if case .temporary = key { return true }
    return false
  }

  /// The row number, or `nil` if the key is not an integer.
  // Never inlined: the optimizer of Swift 6.3.1 crashes otherwise (CopyPropagation).
  @inline(never)
  public var integerKey: Int64? {
    if case .integer(let value) = key { return value }
    return nil
  }

  /// The number of an unsaved model's identifier, or `nil` for any other key.
  // Never inlined, for the same reason.
  @inline(never)
  package var temporaryNumber: Int64? {
    if case .temporary(let number) = key { return number }
    return nil
  }

  /// Compares the keys first, because they differ most often.
  public static func == (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
    lhs.key == rhs.key && lhs.scope == rhs.scope
  }

  /// Whether the identifier has the store and the key of another, whatever their entities.
  package func hasStoreAndKey(of other: PersistentIdentifier) -> Bool {
    key == other.key && (scope === other.scope || storeIdentifier == other.storeIdentifier)
  }

  /// Hashes only the key, because scopes rarely differ when keys are equal.
  public func hash(into hasher: inout Hasher) {
    switch key {
    case .integer(let value): hasher.combine(value)
    case .text(let value): hasher.combine(value)
    case .temporary(let value): hasher.combine(~value)
    }
  }
}

extension PersistentIdentifier {
  private static let temporaryCounter = Atomic<Int64>(0)

  /// A string that identifies this process, part of encoded temporary identifiers.
  static let session = UUID().uuidString

  /// Returns a number for an unsaved model, which is never reused in a process.
  package static func nextTemporaryNumber() -> Int64 {
    temporaryCounter.add(1, ordering: .relaxed).newValue
  }

  /// Creates a permanent identifier from a store's own primary key.
  ///
  /// Integer keys keep their numeric order; keys of other types are stored by their description.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store that owns the row.
  ///   - entityName: The name of the row's entity.
  ///   - primaryKey: The row's key in that store.
  /// - Returns: The identifier.
  /// - Throws: `DataStoreError.invalidValue` if the store or the entity has no name.
  public static func identifier<T>(
    for storeIdentifier: String,
    entityName: String,
    primaryKey: T
  ) throws -> PersistentIdentifier
  where T: Comparable & CustomStringConvertible & Codable & Hashable {
    guard !storeIdentifier.isEmpty, !entityName.isEmpty else {
      throw DataStoreError(
        .invalidValue,
        "an identifier needs the names of its store and of its entity",
        entity: entityName
      )
    }
    let key: Key =
      if let integer = primaryKey as? any FixedWidthInteger, let exact = Int64(exactly: integer) {
        .integer(exact)
      } else {
        .text(primaryKey.description)
      }
    return PersistentIdentifier(
      scope: Scope(storeIdentifier: storeIdentifier, entityName: entityName),
      key: key
    )
  }
}

extension PersistentIdentifier: Comparable {
  /// Orders by key (row numbers, then strings, then unsaved models), then by entity and store.
  public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
    switch (lhs.key, rhs.key) {
    case (.integer(let a), .integer(let b)) where a != b: return a < b
    case (.text(let a), .text(let b)) where a != b: return a < b
    case (.temporary(let a), .temporary(let b)) where a != b: return a < b
    case (.integer, .text), (.integer, .temporary), (.text, .temporary): return true
    case (.text, .integer), (.temporary, .integer), (.temporary, .text): return false
    default: break
    }
    if lhs.entityName != rhs.entityName { return lhs.entityName < rhs.entityName }
    return (lhs.storeIdentifier ?? "") < (rhs.storeIdentifier ?? "")
  }
}

extension PersistentIdentifier: CustomStringConvertible {
  /// The entity and the key, for messages.
  public var description: String {
    switch key {
    case .integer(let value): "\(entityName)/\(value)"
    case .text(let value): "\(entityName)/\(value)"
    case .temporary(let value): "\(entityName)/t\(value)"
    }
  }
}
