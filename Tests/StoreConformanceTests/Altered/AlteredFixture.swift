import OpenSwiftData

@testable import StoreConformance

/// A fixture that wraps the stores of another fixture with alterations.
struct AlteredFixture<Base: StoreFixture>: StoreFixture where Base.Location: Sendable {
  /// A location of the other fixture, with its alterations.
  struct Location: Sendable {
    let base: Base.Location
    let alterations: Alterations
  }

  let base: Base
  /// Creates the alterations of one location, which may store state.
  let makeAlterations: @Sendable () -> Alterations

  init(_ base: Base, _ makeAlterations: @escaping @Sendable () -> Alterations = { Alterations() }) {
    self.base = base
    self.makeAlterations = makeAlterations
  }

  func makeLocation() throws -> Location {
    Location(base: try base.makeLocation(), alterations: makeAlterations())
  }

  func open(_ location: Location, schema: Schema?) throws -> AlteredStore {
    try AlteredStore(
      AlteredStoreConfiguration(location.alterations, schema: schema) { [base] in
        try base.open(location.base, schema: $0)
      }
    )
  }

  func close(_ store: AlteredStore) throws {
    if let store = store.base as? Base.Store { try base.close(store) }
  }

  func destroy(_ location: Location) throws { try base.destroy(location.base) }

  var hooks: Set<FixtureHook> { base.hooks }

  func run(_ fault: StoreFault, at step: Int, in location: Location, _ body: () -> Void) -> Bool {
    base.run(fault, at: step, in: location.base, body)
  }

  func start(_ task: ProcessTask, on location: Location) throws -> @Sendable () throws -> String {
    try base.start(task, on: location.base)
  }
}
