import ModelRuntime
import Observation
import StoreProtocol

/// Makes a class a model whose objects a context saves and fetches.
///
/// Every stored property of the class, and of the models that it inherits from, is persisted unless
/// it is marked ``Transient()``. The class becomes a `PersistentModel` and `Observable`, and
/// explicitly not `Sendable`: pass an object's `persistentModelID` to other contexts.
///
/// ```swift
/// @Model
/// class Trip {
///   @Attribute(.unique) var name: String
///   @Relationship(deleteRule: .cascade, inverse: \Item.trip) var items: [Item] = []
///
///   init(name: String) { self.name = name }
/// }
/// ```
///
/// Initializers, methods, `willSet` and `didSet` of the class are unchanged. A `let` is assigned in
/// the initializer, and set from the store when an object is fetched. If a declaration cannot be
/// persisted, the compiler reports an error there that says what to write instead.
@attached(
  member,
  conformances: PersistentModel,
  names: named(_$state),
  named(_$Index),
  named(_$superclass),
  named(schemaMetadata),
  prefixed(_$metadata_),
  prefixed(_$types_),
  named(init),
  named(_$count),
  named(_$read),
  named(_$write)
)
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel, Observable, Sendable)
public macro Model() = #externalMacro(module: "ModelMacros", type: "ModelMacro")

/// Specifies how an attribute is stored.
///
/// - Parameters:
///   - options: The requirements of the attribute, such as uniqueness.
///   - originalName: The name of the property in the previous version of the schema.
///   - hashModifier: A string that makes two otherwise equal versions of the property differ.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option...,
  originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "ModelMacros", type: "AttributeMacro")

/// Specifies how a relationship behaves.
///
/// - Parameters:
///   - options: The requirements of the relationship, such as uniqueness.
///   - deleteRule: The effect on the related objects when an object is deleted.
///   - minimumModelCount: The fewest related objects that can be saved.
///   - maximumModelCount: The most related objects that can be saved; 0 for any number.
///   - originalName: The name of the property in the previous version of the schema.
///   - inverse: The property of the related objects that refers back; named on one side only.
///   - hashModifier: A string that makes two otherwise equal versions of the property differ.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option...,
  deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0,
  maximumModelCount: Int? = 0,
  originalName: String? = nil,
  inverse: AnyKeyPath? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "ModelMacros", type: "RelationshipMacro")

/// Excludes a property from the schema.
///
/// A fetched object has the initial value of the property. The property needs an initial value
/// unless it is an optional `var`.
@attached(peer)
public macro Transient() = #externalMacro(module: "ModelMacros", type: "TransientMacro")

/// Specifies properties whose values are unique among the objects of a model.
///
/// - Parameter constraints: Lists of properties; the values of each list are unique together.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(
  _ constraints: [PartialKeyPath<T>]...
) = #externalMacro(module: "ModelMacros", type: "UniqueMacro")

/// Specifies the properties by which a store finds objects quickly.
///
/// - Parameter indices: Lists of properties, each of which makes one index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(
  _ indices: [PartialKeyPath<T>]...
) = #externalMacro(module: "ModelMacros", type: "IndexMacro")

/// Specifies the properties by which a store finds objects quickly, and the kind of each index.
///
/// - Parameter indices: Lists of properties with their kind, each of which makes one index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(
  _ indices: Schema.Index<T>.Types<T>...
) = #externalMacro(module: "ModelMacros", type: "IndexMacro")

/// Gives an actor a context of its own, in which all of its code runs.
///
/// The actor becomes a ``ModelActor`` with an initializer that takes the container.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "ModelMacros", type: "ModelActorMacro")

/// Turns a stored property of a model into a persisted one.
///
/// Only ``Model()`` writes this macro.
///
/// - Parameters:
///   - index: The index of the property among those of its class, as an expression.
///   - startsEmpty: Whether an initializer may leave the property unset, which is then empty.
///   - startsWithValue: Whether the storage starts with the initial value, since no initializer sets
///     the property.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_), prefixed(_$isObserving_))
public macro _PersistedProperty(
  index: String,
  startsEmpty: Bool = false,
  startsWithValue: Bool = false
) = #externalMacro(module: "ModelMacros", type: "PersistedPropertyMacro")

/// Turns a stored property into a persisted one, if its type only has the name of a basic type.
///
/// - Parameters:
///   - index: The index of the property among those of its class, as an expression.
///   - kind: The kind of the property's type, which selects the overload.
///   - startsWithValue: Whether the storage starts with the initial value.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_), prefixed(_$isObserving_))
public macro _PersistedProperty(index: String, kind: _ModelKind, startsWithValue: Bool = false) =
  #externalMacro(module: "ModelMacros", type: "PersistedReferenceMacro")

/// Turns a stored property into a persisted one, if its type is a basic type.
///
/// - Parameters:
///   - index: The index of the property among those of its class, as an expression.
///   - kind: The kind of the property's type, which selects the overload.
///   - startsWithValue: Whether the storage starts with the initial value.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_), prefixed(_$isObserving_))
public macro _PersistedProperty(index: String, kind: _ValueKind, startsWithValue: Bool = false) =
  #externalMacro(module: "ModelMacros", type: "PersistedPropertyMacro")

/// Calls a function that may be isolated to an actor, without switching to that actor.
///
/// The schema lists of ``Model()`` use it: such a function makes key paths and touches no state.
///
/// - Parameters:
///   - make: A function without parameters that reads nothing that its actor guards.
///   - type: The result type of the function.
/// - Returns: The result of the function.
public func _unisolated<Function, Result>(
  _ make: Function,
  as type: Result.Type = Result.self
) -> Result {
  // A synchronous function has one calling convention, whatever its isolation. The compiler has no
  // other way to write a key path to an isolated property in code that is not isolated. A macro
  // cannot always see from a class's source whether the class is isolated.
  unsafeBitCast(make, to: (() -> Result).self)()
}

extension RowReader {
  /// Returns the value of a constant, which must be available when its object is created.
  ///
  /// - Parameters:
  ///   - slot: The slot that was read from the row.
  ///   - index: The index of the property.
  /// - Returns: The value in the slot.
  /// - Throws: ``DataStoreError`` of code `invalidValue` if the row does not hold the value itself,
  ///   as with a relationship.
  public final func _constant<Value>(_ slot: _Slot<Value>, at index: Int) throws -> Value {
    if let value = slot.value { return value }
    throw invalid(.null, at: index, expected: "a value of \(Value.self)")
  }
}
