import Foundation
import StoreProtocol

/// The objects that one task works with: it fetches them, follows their changes and saves them.
///
/// Within a context there is one object for each identity. A context and its objects belong to one
/// isolation; take another context for another task, and pass identifiers between them. Hold a
/// context for as long as it has unsaved changes: they end with it, unless ``autosaveEnabled`` is
/// on, while saved objects stay usable and can still load their relationships.
public final class ModelContext: Equatable {
  let state: ContextState

  /// Creates a context for a container.
  ///
  /// - Parameters:
  ///   - container: The models and stores that the context works with.
  ///   - isolation: The isolation of the code that makes the context, by which autosave knows
  ///     those of the main actor; leave it out.
  public convenience init(_ container: ModelContainer, isolation: (any Actor)? = #isolation) {
    self.init(state: ContextState(container.core, container: container))
    // Other actors could have made the context for somebody else to whom it is sent.
    if isolation === MainActor.shared { state.autosave.home = .mainActor }
  }

  /// Creates a context for a container, where an initializer is passed on as a function.
  @_disfavoredOverload
  public convenience init(_ container: ModelContainer) {
    self.init(state: ContextState(container.core, container: container))
  }

  init(state: ContextState) {
    self.state = state
    state.begin(self)
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

  /// Whether every fetch of this context must be answered by its store alone, as if its descriptor
  /// said ``FetchDescriptor/requiresNative``; false unless set.
  ///
  /// Set it in tests and in programs that must not slow down unnoticed.
  public var requiresNativeFetches: Bool {
    get { state.requiresNativeFetches }
    set { state.requiresNativeFetches = newValue }
  }

  /// The identity of the context and the author of its changes, as stores and history see them.
  public var editingState: EditingState {
    get { state.editingState }
    set { state.editingState = newValue }
  }

  /// Who makes the changes of this context, as history will say.
  public var author: String? {
    get { state.editingState.author }
    set { state.editingState.author = newValue }
  }

  /// Lets go of saved, unchanged objects that the program no longer holds.
  ///
  /// The context does this by itself when the number of its objects has doubled; call it to have
  /// the memory back sooner. Objects that the program still holds stay as they are, but find the
  /// objects of their relationships again when these are next read.
  public func evictUnused() { state.evictUnused() }

  /// Compares contexts by identity.
  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs.state === rhs.state }
}

extension ModelContext: CustomDebugStringConvertible {
  /// The numbers of registered and of changed objects.
  public var debugDescription: String {
    let pending = state.pending
    return "ModelContext: \(state.registeredCount) registered, \(pending.inserted.count) inserted, "
      + "\(pending.changed.count) changed, \(pending.deleted.count) deleted"
  }
}
