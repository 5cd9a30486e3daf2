import Observation
import StoreProtocol

/// Makes a class a model whose objects a context saves and fetches.
///
/// Every stored property of the class, and of the models that it inherits from, is persisted
/// unless it is marked ``Transient()``. The class becomes a `PersistentModel` and `Observable`,
/// and explicitly not `Sendable`: pass an object's `persistentModelID` to other contexts.
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
/// Initialisers, methods and `willSet` and `didSet` of the class stay as they are. A `let` is
/// assigned in the initialiser and set from the store when an object is fetched. Where
/// a declaration cannot be persisted, the compiler says at that place what to write instead.
@attached(
  member,
  conformances: PersistentModel,
  names: named(_$state),
  named(_$Index),
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

/// Says how an attribute is stored.
///
/// - Parameters:
///   - options: What is asked of the store, such as uniqueness.
///   - originalName: The name of the property in the version of the schema before.
///   - hashModifier: A text that makes two otherwise equal versions of the property differ.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option...,
  originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "ModelMacros", type: "AttributeMacro")

/// Says how a relationship behaves.
///
/// - Parameters:
///   - options: What is asked of the store, such as uniqueness.
///   - deleteRule: What becomes of the related objects when an object is deleted.
///   - minimumModelCount: The fewest related objects that can be saved.
///   - maximumModelCount: The most related objects that can be saved; 0 for any number.
///   - originalName: The name of the property in the version of the schema before.
///   - inverse: The property of the related objects that leads back; named on one side only.
///   - hashModifier: A text that makes two otherwise equal versions of the property differ.
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

/// Keeps a property out of the schema.
///
/// A fetched object has the initial value of the property, so that it needs one unless it is an
/// optional `var`.
@attached(peer)
public macro Transient() = #externalMacro(module: "ModelMacros", type: "TransientMacro")

/// Says which properties no two objects of a model share.
///
/// - Parameter constraints: Lists of properties; the values of each list are unique together.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(
  _ constraints: [PartialKeyPath<T>]...
) = #externalMacro(module: "ModelMacros", type: "UniqueMacro")

/// Says by which properties a store finds objects quickly.
///
/// - Parameter indices: Lists of properties, each of which makes one index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(
  _ indices: [PartialKeyPath<T>]...
) = #externalMacro(module: "ModelMacros", type: "IndexMacro")

/// Says by which properties a store finds objects quickly, and with which kind of index.
///
/// - Parameter indices: Lists of properties with their kind, each of which makes one index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(
  _ indices: Schema.Index<T>.Types<T>...
) = #externalMacro(module: "ModelMacros", type: "IndexMacro")

/// Gives an actor a context of its own, in which all of its code runs.
///
/// The actor becomes a ``ModelActor`` with an initialiser that takes the container.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "ModelMacros", type: "ModelActorMacro")

/// Turns a stored property of a model into a persisted one.
///
/// Written by ``Model()``, and by nobody else.
///
/// - Parameter index: The place of the property among those of its class, as an expression.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_), prefixed(_$isObserving_))
public macro _PersistedProperty(index: String) =
  #externalMacro(module: "ModelMacros", type: "PersistedPropertyMacro")

/// Calls a function that may be bound to an actor, without going to that actor.
///
/// Made for the schema lists of ``Model()``: such a function makes key paths and touches no state.
///
/// - Parameters:
///   - make: A function without parameters that reads nothing that its actor guards.
///   - type: What the function returns.
/// - Returns: What the function returns.
public func _unisolated<Function, Result>(
  _ make: Function,
  as type: Result.Type = Result.self
) -> Result {
  // A synchronous function is called in the same way whatever actor it is bound to. The compiler
  // has no other way to write a key path to an isolated property in code that is not isolated,
  // and whether a class is isolated is not always to be seen from its text.
  unsafeBitCast(make, to: (() -> Result).self)()
}

extension RowReader {
  /// The value of a constant, which must be known when its object is made.
  ///
  /// - Parameters:
  ///   - slot: What the row holds.
  ///   - index: The place of the property.
  /// - Returns: The value in the slot.
  /// - Throws: ``DataStoreError`` of code `invalidValue` when the row does not hold the value
  ///   itself, as with a relationship.
  public final func _constant<Value>(_ slot: _Slot<Value>, at index: Int) throws -> Value {
    if let value = slot.value { return value }
    throw invalid(.null, at: index, expected: "a value of \(Value.self)")
  }
}
