import StoreProtocol

/// An actor with a context of its own.
///
/// Apply `@ModelActor` to an actor; the macro writes what this protocol requires.
public protocol ModelActor: Actor {
  /// The container of the actor's context.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor of the actor's work; do not access the context through it.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor of the actor's work.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    modelExecutor.asUnownedSerialExecutor()
  }

  /// The actor's context.
  public var modelContext: ModelContext {
    let context = modelExecutor.modelContext
    if case .unknown = context.state.isolation { context.state.isolation = ContextIsolation(self) }
    return context
  }

  /// Returns the object of an identifier, or `nil` if there is none of that type.
  public subscript<T>(id: PersistentIdentifier, as type: T.Type) -> T? where T: PersistentModel {
    let model = modelContext.model(for: id)
    return model.isDeleted ? nil : model as? T
  }
}

/// An executor of the work on a context.
public protocol ModelExecutor: SerialExecutor {
  /// The context.
  var modelContext: ModelContext { get }
}

/// An executor that runs the work on a context serially.
public protocol SerialModelExecutor: ModelExecutor {}
