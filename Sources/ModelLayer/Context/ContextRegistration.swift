import ModelRuntime

/// A registration whose objects keep their context alive.
final class ContextRegistration: EntityRegistration {
  /// The context, which exists as long as any of its objects.
  fileprivate let state: ContextState

  init(_ facts: EntityFacts, of context: ContextState) {
    state = context
    super.init(facts, in: context.objects)
  }

  override func registration(named entity: String) -> EntityRegistration? {
    state.registration(named: entity)
  }
}

extension EntityRegistration {
  @inline(__always)
  var context: ContextState {
    // The cast costs nothing this way, and all objects that reach a context are registered by one.
    unsafeDowncast(self, to: ContextRegistration.self).state
  }
}
