import StoreProtocol

/// An actor with a context of its own.
///
/// Put `@ModelActor` on an actor; the macro writes what this protocol asks for.
public protocol ModelActor: Actor {
  /// The container of the actor's context.
  nonisolated var modelContainer: ModelContainer { get }
  /// What runs the actor's work; do not reach the context through it.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// What runs the actor's work.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    modelExecutor.asUnownedSerialExecutor()
  }

  /// The actor's context.
  public var modelContext: ModelContext {
    let context = modelExecutor.modelContext
    context.state.autosave.adopt(self)
    return context
  }

  /// The object of an identifier, nil where there is none of that type.
  public subscript<T>(id: PersistentIdentifier, as type: T.Type) -> T? where T: PersistentModel {
    let model = modelContext.model(for: id)
    return model.isDeleted ? nil : model as? T
  }
}

/// What runs the work on a context.
public protocol ModelExecutor: SerialExecutor {
  /// The context.
  var modelContext: ModelContext { get }
}

/// What runs the work on a context, one piece after another.
public protocol SerialModelExecutor: ModelExecutor {}
