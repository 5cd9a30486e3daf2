import StoreProtocol

/// A fixture that wraps the stores of another fixture with alterations.
struct AlteredFixture<Base: StoreFixture>: StoreFixture where Base.Place: Sendable {
  /// A location of the other fixture, with its alterations.
  struct Place: Sendable {
    let base: Base.Place
    let alterations: Alterations
  }

  let base: Base
  /// Creates the alterations of one location, which may store state.
  let makeAlterations: @Sendable () -> Alterations

  /// Creates a fixture.
  init(_ base: Base, _ makeAlterations: @escaping @Sendable () -> Alterations = { Alterations() }) {
    self.base = base
    self.makeAlterations = makeAlterations
  }

  func makePlace() throws -> Place {
    Place(base: try base.makePlace(), alterations: makeAlterations())
  }

  func open(_ place: Place, schema: Schema?) throws -> AlteredStore {
    try AlteredStore(
      AlteredStoreConfiguration(place.alterations, schema: schema) { [base] in
        try base.open(place.base, schema: $0)
      }
    )
  }

  func close(_ store: AlteredStore) throws {
    if let store = store.base as? Base.Store { try base.close(store) }
  }

  func destroy(_ place: Place) throws { try base.destroy(place.base) }

  var hooks: Set<FixtureHook> { base.hooks }

  func run(_ fault: StoreFault, at step: Int, in place: Place, _ body: () -> Void) -> Bool {
    base.run(fault, at: step, in: place.base, body)
  }

  func start(_ task: ProcessTask, on place: Place) throws -> @Sendable () throws -> String {
    try base.start(task, on: place.base)
  }
}
