import StoreProtocol

/// A location with its store, for the checks of rules.
final class StoreBench {
  /// The settings of the run.
  let settings: ConformanceSettings
  /// The requests of the rule, including those to its other locations.
  let trace: Trace
  /// The number of the tested rule.
  var rule = ""
  /// The schema with which the suite last opened the store.
  private(set) var schema: Schema = Sample.schema
  private let makeNeighbour: () throws -> StoreBench
  private let openStore: (Schema?) throws -> any DataStore
  private let closeStore: (any DataStore) throws -> Void
  private let destroyLocation: () throws -> Void
  private let runFault: (StoreFault, Int, () -> Void) -> Bool
  private let startTask: (ProcessTask) throws -> @Sendable () throws -> String
  private var current: (any DataStore)?
  private var traced: TracedStore?

  /// Creates a location; its store is opened with the sample schema when it is first used.
  init<Fixture: StoreFixture>(
    _ fixture: Fixture,
    settings: ConformanceSettings = ConformanceSettings(),
    _ trace: Trace = Trace()
  ) throws {
    let location = try fixture.makeLocation()
    self.settings = settings
    self.trace = trace
    makeNeighbour = { try StoreBench(fixture, settings: settings, trace) }
    openStore = { try fixture.open(location, schema: $0) }
    closeStore = { if let store = $0 as? Fixture.Store { try fixture.close(store) } }
    destroyLocation = { try fixture.destroy(location) }
    runFault = { fixture.run($0, at: $1, in: location, $2) }
    startTask = { try fixture.start($0, on: location) }
  }

  /// Creates a location for a store of models, which has no records.
  init<Fixture: ModelStoreFixture>(
    _ fixture: Fixture,
    settings: ConformanceSettings = ConformanceSettings(),
    _ trace: Trace = Trace()
  ) throws {
    let location = try fixture.makeLocation()
    self.settings = settings
    self.trace = trace
    makeNeighbour = { try StoreBench(fixture, settings: settings, trace) }
    openStore = { try fixture.open(location, schema: $0) }
    closeStore = { if let store = $0 as? Fixture.Configuration.Store { try fixture.close(store) } }
    destroyLocation = { try fixture.destroy(location) }
    runFault = { _, _, body in
      body()
      return false
    }
    startTask = { _ in
      throw DataStoreError(.unsupportedFeature, "models are kept by one process")
    }
  }

  /// The open store, whose requests are recorded for reports.
  var store: any RecordStore {
    get throws {
      if let traced { return traced }
      return current == nil ? try open(Sample.schema) : try traced(untraced)
    }
  }

  /// The open store without tracing.
  var untraced: any RecordStore {
    get throws {
      try Self.records(of: current ?? openAny(Sample.schema))
    }
  }

  private func traced(_ store: any RecordStore) -> TracedStore {
    TracedStore(TracedConfiguration(base: store, trace: trace, schema: store.schema))
  }

  /// Opens the store, after closing it if it is open.
  ///
  /// A store that enforces no unique values throws for the sample schema, and gets one without
  /// them.
  @discardableResult
  func open(_ wanted: Schema?) throws -> any RecordStore {
    let store = try traced(Self.records(of: openAny(wanted)))
    traced = store
    return store
  }

  /// Opens the store, with or without records.
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

  /// Closes the store and opens its location again.
  func reopen() throws { try openAny(schema) }

  /// Returns a second handle of the same location, which the caller closes, with the schema of the
  /// first or another one.
  func secondHandle(_ wanted: Schema? = nil) throws -> any RecordStore {
    _ = try store
    return try traced(Self.records(of: openStore(wanted ?? schema)))
  }

  /// Removes the location under the open store, and returns a handle of the new store in its place,
  /// which the caller closes.
  func replacement() throws -> any RecordStore {
    _ = try store
    try destroyLocation()
    return try traced(Self.records(of: openStore(schema)))
  }

  /// Closes a handle from ``secondHandle(_:)`` or ``replacement()``.
  func close(_ handle: any RecordStore) throws {
    try closeStore((handle as? TracedStore)?.base ?? handle)
  }

  /// Runs a body in which one step of the store fails, and returns whether the store reached that
  /// step.
  func run(_ fault: StoreFault, at step: Int, _ body: () -> Void) -> Bool {
    runFault(fault, step, body)
  }

  /// Starts a process that runs a task on the location; the returned closure waits for its end.
  func start(_ task: ProcessTask) throws -> @Sendable () throws -> String { try startTask(task) }

  /// Returns another location with a store of the same type, which the caller destroys.
  func neighbour() throws -> StoreBench { try makeNeighbour() }

  /// Runs a body on another store in its own location.
  func withNeighbour<Result>(_ body: (StoreBench) throws -> Result) throws -> Result {
    let neighbour = try neighbour()
    defer { neighbour.destroy() }
    return try body(neighbour)
  }

  /// Closes the store and removes the location.
  func destroy() {
    // The failure of a check is more important than errors during cleanup.
    try? close()
    try? destroyLocation()
  }

  /// Closes the store, which reopens when it is next used.
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
