import Observation
import StoreProtocol

/// Makes a class a model whose objects a context saves and fetches.
///
/// Each stored property of the class is persisted, unless it is marked `@Transient`. The class may
/// have another model as its superclass.
@attached(
  member,
  conformances: PersistentModel,
  names: named(_$state), named(_$Index), named(schemaMetadata), named(init), named(_$count),
  named(_$read), named(_$write)
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
@attached(peer, names: prefixed(_))
public macro _PersistedProperty(index: String) =
  #externalMacro(module: "ModelMacros", type: "PersistedPropertyMacro")
