import StoreProtocol

/// The stores of another fixture, each with alterations around it.
struct AlteredFixture<Base: StoreFixture>: StoreFixture where Base.Place: Sendable {
  /// A place of the other fixture, with what is altered there.
  struct Place: Sendable {
    let base: Base.Place
    let alterations: Alterations
  }

  let base: Base
  /// Makes the alterations of one place, which may remember what they did there.
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
