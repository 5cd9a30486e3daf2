import Observation
import StoreProtocol

/// Makes a class a model whose objects a context saves and fetches.
///
/// Each stored property of the class is persisted, unless it is marked `@Transient`. The class may
/// have another model as its superclass.
@attached(
  member,
  conformances: PersistentModel,
  names: named(_$state),
  named(_$Index),
  named(schemaMetadata),
  prefixed(_$metadata_),
  named(init),
  named(_$count),
  named(_$read),
  named(_$write)
)
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel, Observable, Sendable)
public macro Model() = #externalMacro(module: "ModelMacros", type: "ModelMacro")

/// Says how an attribute is stored.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option...,
  originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "ModelMacros", type: "AttributeMacro")

/// Says how a relationship behaves.
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

/// Leaves a property out of the schema.
@attached(peer)
public macro Transient() = #externalMacro(module: "ModelMacros", type: "TransientMacro")

/// Says which properties no two objects of a model share.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(
  _ constraints: [PartialKeyPath<T>]...
) = #externalMacro(module: "ModelMacros", type: "UniqueMacro")

/// Says which properties a store should find objects by quickly.
@freestanding(declaration)
public macro Index<T: PersistentModel>(
  _ indices: [PartialKeyPath<T>]...
) = #externalMacro(module: "ModelMacros", type: "IndexMacro")

/// Says which properties a store should find objects by quickly, and how.
@freestanding(declaration)
public macro Index<T: PersistentModel>(
  _ indices: Schema.Index<T>.Types<T>...
) = #externalMacro(module: "ModelMacros", type: "IndexMacro")

/// Gives an actor its own context and serial executor.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "ModelMacros", type: "ModelActorMacro")

/// Turns a stored property of a model into a persisted one.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_), prefixed(_$isObserving_))
public macro _PersistedProperty(index: String) =
  #externalMacro(module: "ModelMacros", type: "PersistedPropertyMacro")

/// Calls a function that may be bound to an actor, without going to that actor.
///
/// Made for the schema lists of `@Model`: such a function makes key paths and touches no state.
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
  /// - Throws: ``DataStoreError/Code/invalidValue`` when the row does not hold the value itself.
  public final func _constant<Value>(_ slot: _Slot<Value>, at index: Int) throws -> Value {
    if let value = slot.value { return value }
    throw invalid(.null, at: index, expected: "a value of \(Value.self)")
  }
}
