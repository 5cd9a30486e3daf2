import Foundation
import StoreProtocol

/// The objects that one task works with: it fetches them, tracks their changes and saves them.
///
/// A context has one object for each identity. A context and its objects belong to one isolation;
/// use another context for another task, and pass identifiers between them. Keep a context while it
/// has unsaved changes: they end with it, unless ``autosaveEnabled`` is on. Saved objects stay
/// usable and can still load their relationships.
public final class ModelContext: Equatable {
  let state: ContextState

  /// Creates a context for a container.
  ///
  /// - Parameters:
  ///   - container: The models and stores that the context works with.
  ///   - isolation: The isolation of the code that creates the context, by which autosave detects
  ///     contexts of the main actor. Omit it.
  public convenience init(_ container: ModelContainer, isolation: (any Actor)? = #isolation) {
    self.init(state: ContextState(container.core, container: container))
    // Other actors could have created the context to send it to another isolation.
    if isolation === MainActor.shared { state.isolation = .mainActor }
  }

  /// Creates a context for a container, if an initializer is passed as a function.
  @_disfavoredOverload
  public convenience init(_ container: ModelContainer) {
    self.init(state: ContextState(container.core, container: container))
  }

  init(state: ContextState) {
    self.state = state
    state.handle = self
    if state.hasEnded { state.resume() }
  }

  deinit {
    state.handleEnded()
  }

  /// The container.
  public var container: ModelContainer {
    if let container = state.givenContainer { return container }
    let container = ModelContainer(core: state.core)
    state.givenContainer = container
    return container
  }

  /// A Boolean value that indicates whether the store alone must evaluate every fetch of this
  /// context.
  ///
  /// If true, each descriptor acts as with ``FetchDescriptor/requiresNative``. The default is
  /// false. Set it in tests and in programs that must not slow down unnoticed.
  public var requiresNativeFetches: Bool {
    get { state.requiresNativeFetches }
    set { state.requiresNativeFetches = newValue }
  }

  /// The identity of the context and the author of its changes, as stores and history see them.
  public var editingState: EditingState {
    get { state.editingState }
    set { state.editingState = newValue }
  }

  /// The author of the changes of this context, as recorded in the history.
  public var author: String? {
    get { state.editingState.author }
    set { state.editingState.author = newValue }
  }

  /// Releases saved, unchanged objects that the program no longer holds.
  ///
  /// The context does this by itself when the number of its objects has doubled; call it to free
  /// the memory sooner. Objects that the program still holds are unchanged, but look up the objects
  /// of their relationships again when these are next read.
  public func evictUnused() { state.evictUnused() }

  /// Compares contexts by identity.
  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs.state === rhs.state }
}

extension ModelContext: CustomDebugStringConvertible {
  /// The numbers of registered and of changed objects.
  public var debugDescription: String {
    let pending = state.pending
    return "ModelContext: \(state.objects.count) registered, \(pending.inserted.count) inserted, "
      + "\(pending.changed.count) changed, \(pending.deleted.count) deleted"
  }
}

extension PersistentModel {
  /// The context of the object, or `nil` before insertion and after the context's end.
  public var modelContext: ModelContext? { registration?.context.currentHandle() }
}
