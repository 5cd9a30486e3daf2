import StoreProtocol

/// One place with its store, as the checks of rules use it.
final class StoreBench {
  /// How the run is made.
  let settings: ConformanceSettings
  /// The requests of the rule, its other places included.
  let trace: Trace
  /// The number of the rule that is tried.
  var rule = ""
  /// The schema that the store was last opened with by the suite.
  private(set) var schema: Schema = Sample.schema
  private let makeNeighbour: () throws -> StoreBench
  private let openStore: (Schema?) throws -> any DataStore
  private let closeStore: (any DataStore) throws -> Void
  private let destroyPlace: () throws -> Void
  private let runFault: (StoreFault, Int, () -> Void) -> Bool
  private let startTask: (ProcessTask) throws -> @Sendable () throws -> String
  private var current: (any DataStore)?
  private var traced: TracedStore?

  /// Makes a place; its store is opened with the sample schema when it is first used.
  init<Fixture: StoreFixture>(
    _ fixture: Fixture,
    settings: ConformanceSettings = ConformanceSettings(),
    _ trace: Trace = Trace()
  ) throws {
    let place = try fixture.makePlace()
    self.settings = settings
    self.trace = trace
    makeNeighbour = { try StoreBench(fixture, settings: settings, trace) }
    openStore = { try fixture.open(place, schema: $0) }
    closeStore = { if let store = $0 as? Fixture.Store { try fixture.close(store) } }
    destroyPlace = { try fixture.destroy(place) }
    runFault = { fixture.run($0, at: $1, in: place, $2) }
    startTask = { try fixture.start($0, on: place) }
  }

  /// Makes a place for a store that keeps models; nobody asks it for records.
  init<Fixture: ModelStoreFixture>(
    _ fixture: Fixture,
    settings: ConformanceSettings = ConformanceSettings(),
    _ trace: Trace = Trace()
  ) throws {
    let place = try fixture.makePlace()
    self.settings = settings
    self.trace = trace
    makeNeighbour = { try StoreBench(fixture, settings: settings, trace) }
    openStore = { try fixture.open(place, schema: $0) }
    closeStore = { if let store = $0 as? Fixture.Configuration.Store { try fixture.close(store) } }
    destroyPlace = { try fixture.destroy(place) }
    runFault = { _, _, body in
      body()
      return false
    }
    startTask = { _ in
      throw DataStoreError(.unsupportedFeature, "models are kept by one process")
    }
  }

  /// The open store, whose requests are kept for reports.
  var store: any RecordStore {
    get throws {
      if let traced { return traced }
      return current == nil ? try open(Sample.schema) : try traced(untraced)
    }
  }

  /// The open store itself.
  var untraced: any RecordStore {
    get throws {
      try Self.records(of: current ?? openAny(Sample.schema))
    }
  }

  private func traced(_ store: any RecordStore) -> TracedStore {
    TracedStore(TracedConfiguration(base: store, trace: trace, schema: store.schema))
  }

  /// The open store, closed first where it was open.
  ///
  /// A store that keeps no unique values refuses the sample schema, and gets one without them.
  @discardableResult
  func open(_ wanted: Schema?) throws -> any RecordStore {
    let store = try traced(Self.records(of: openAny(wanted)))
    traced = store
    return store
  }

  /// The open store, whether or not it has records.
  @discardableResult
  func openAny(_ wanted: Schema?) throws -> any DataStore {
    try close()
    let store: any DataStore
    do {
      store = try openStore(wanted)
      schema = wanted ?? schema
    } catch DataStoreError.unsupportedFeature where wanted === Sample.schema {
      store = try openStore(Sample.plainSchema)
      schema = Sample.plainSchema
    }
    current = store
    return store
  }

  /// Closes the store and opens its place again.
  func reopen() throws { try openAny(schema) }

  /// The same place opened a second time; the caller lets go of it.
  func secondHandle() throws -> any RecordStore {
    _ = try store
    return try traced(Self.records(of: openStore(schema)))
  }

  /// Closes what ``secondHandle()`` gave.
  func close(_ handle: any RecordStore) throws {
    try closeStore((handle as? TracedStore)?.base ?? handle)
  }

  /// Runs a body in which one step of the store goes wrong; whether the store came so far.
  func run(_ fault: StoreFault, at step: Int, _ body: () -> Void) -> Bool {
    runFault(fault, step, body)
  }

  /// Starts a process that does a task on the place; the result waits for its end.
  func start(_ task: ProcessTask) throws -> @Sendable () throws -> String { try startTask(task) }

  /// Another place with a store of the same kind; whoever asks for it has to destroy it.
  func neighbour() throws -> StoreBench { try makeNeighbour() }

  /// Runs a body on another store in a place of its own.
  func withNeighbour<Result>(_ body: (StoreBench) throws -> Result) throws -> Result {
    let neighbour = try neighbour()
    defer { neighbour.destroy() }
    return try body(neighbour)
  }

  /// Closes the store and removes the place.
  func destroy() {
    // A check that failed has more to say than what goes wrong while its store is removed.
    try? close()
    try? destroyPlace()
  }

  /// Closes the store, which is opened again when it is next used.
  func close() throws {
    guard let store = current else { return }
    current = nil
    traced = nil
    try closeStore(store)
  }

  private static func records(of store: any DataStore) throws -> any RecordStore {
    guard let store = store as? any RecordStore else {
      throw RuleViolation("the rule", expected: "a store with records", found: "\(type(of: store))")
    }
    return store
  }
}
