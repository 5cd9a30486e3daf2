import StoreProtocol
import Synchronization

/// The Codable types of stored properties.
///
/// A module can isolate its types to the main actor, including their conformances. Nonisolated code
/// cannot name such a conformance, and a dynamic cast to it may fail, but a context reads rows in
/// any isolation. The property list of a model has the isolation of the model and registers its
/// types here.
package enum CodableTypes {
  // Unchecked: metatypes are not marked Sendable without a constraint that isolated conformances
  // cannot meet. Their conformances are used only by the context that reads or writes an object.
  private struct Registered: @unchecked Sendable {
    var types: [ObjectIdentifier: any Codable.Type] = [:]
  }

  private static let registered = Mutex(Registered())

  static func register<V: Codable>(_ type: V.Type) {
    registered.withLock { $0.types[ObjectIdentifier(type)] = type }
  }

  /// Returns the type as a Codable one, or `nil` if it is not Codable.
  package static func type(_ type: Any.Type) -> (any Codable.Type)? {
    registered.withLock { $0.types[ObjectIdentifier(type)] } ?? type as? any Codable.Type
  }

  /// Returns the type as a Decodable one, or `nil` if it is not Decodable.
  package static func decodable(_ type: Any.Type) -> (any Decodable.Type)? {
    self.type(type) ?? type as? any Decodable.Type
  }
}

// The overloads that macro-generated code selects by the type of a property. The macro passes two
// functions with one name: the one that takes `_Unstorable` is unavailable, and its message names the
// property.

/// The parameter of the function that generated code passes for a type that can be stored.
public struct _Storable {}

/// The parameter of the function that generated code passes for any other type.
public struct _Unstorable {}

/// Registers the type of a Codable attribute.
@_disfavoredOverload
public func _register<V: Codable>(_ type: V.Type, _ check: (_Storable) -> Void) {
  CodableTypes.register(type)
}

/// Accepts the type of a to-one relationship.
public func _register<M: PersistentModel>(_ type: M.Type, _ check: (_Storable) -> Void) {}

/// Accepts the type of an optional to-one relationship.
public func _register<M: PersistentModel>(_ type: M?.Type, _ check: (_Storable) -> Void) {}

/// Accepts the type of a to-many relationship.
public func _register<M: PersistentModel>(_ type: [M].Type, _ check: (_Storable) -> Void) {}

/// Accepts the type of an optional to-many relationship.
public func _register<M: PersistentModel>(_ type: [M]?.Type, _ check: (_Storable) -> Void) {}

/// Accepts any type, with a function that the compiler rejects.
///
/// Not generic: the compiler prefers the generic function for a Codable type.
@_disfavoredOverload
public func _register(_ type: Any.Type, _ check: (_Unstorable) -> Void) {}

/// Returns the type of a closure's result without calling the closure.
public func _type<V>(of make: () -> V) -> V.Type { V.self }
