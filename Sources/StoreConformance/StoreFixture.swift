import StoreProtocol

/// A fixture that creates, opens and removes stores for the suite.
///
/// ```swift
/// struct Fixture: StoreFixture {
///   func makeLocation() throws -> URL { … }
///   func open(_ location: URL, schema: Schema?) throws -> MyStore { … }
///   func destroy(_ location: URL) throws { … }
/// }
///
/// @Test(arguments: try Rule.all(for: Fixture()))
/// func keeps(_ rule: Rule) throws { try rule.check(Fixture()) }
/// ```
public protocol StoreFixture: Sendable {
  /// The type of store.
  associatedtype Store: RecordStore
  /// The type that identifies the location of a store, such as a file URL or a configuration.
  associatedtype Location

  /// Returns a location that has never contained a store.
  func makeLocation() throws -> Location

  /// Opens the store of a location, or creates it if there is none.
  ///
  /// The suite closes and releases a store before it opens its location again.
  ///
  /// - Parameters:
  ///   - location: The location.
  ///   - schema: The models, or `nil` to use the stored schema.
  /// - Returns: The open store.
  /// - Throws: The store's own error.
  func open(_ location: Location, schema: Schema?) throws -> Store

  /// Closes a store, if that takes more than releasing it.
  func close(_ store: Store) throws

  /// Removes a location with all its files; its store is closed, but for ``FixtureHook/replacement``.
  func destroy(_ location: Location) throws

  /// The additional features of the fixture, by default none.
  ///
  /// Rules that need a missing feature are skipped, and reports say so.
  var hooks: Set<FixtureHook> { get }

  /// Runs a body in which one step of the store's changes fails, for ``FixtureHook/faults``.
  ///
  /// Steps are counted from 1 since the body began. Each write, rename, removal or sync is one.
  ///
  /// - Parameters:
  ///   - fault: The kind of fault.
  ///   - step: The number of the step.
  ///   - location: The location of the store, which is open.
  ///   - body: The work of the store meanwhile.
  /// - Returns: A Boolean value that indicates whether the store reached that step.
  func run(_ fault: StoreFault, at step: Int, in location: Location, _ body: () -> Void) -> Bool

  /// Starts a process that opens a location and runs a task, for ``FixtureHook/processes``.
  ///
  /// The store of the location is also open in this process.
  ///
  /// - Parameters:
  ///   - task: The task, which the process creates again from its argument.
  ///   - location: The location to open.
  /// - Returns: A closure that waits for the end of the process, and returns what
  ///   ``ProcessTask/run(on:)`` returned there.
  /// - Throws: An error if the process cannot start.
  func start(_ task: ProcessTask, on location: Location) throws -> @Sendable () throws -> String
}

extension StoreFixture {
  /// Does nothing: the store closes when it is released.
  public func close(_ store: Store) throws {}

  public var hooks: Set<FixtureHook> { [] }

  /// Runs the body without a fault.
  public func run(
    _ fault: StoreFault,
    at step: Int,
    in location: Location,
    _ body: () -> Void
  ) -> Bool {
    body()
    return false
  }

  /// Throws, because the fixture starts no processes.
  public func start(
    _ task: ProcessTask,
    on location: Location
  ) throws -> @Sendable () throws -> String {
    throw DataStoreError(.unsupportedFeature, "the fixture starts no processes")
  }
}

/// A feature of a fixture beyond creating, opening and removing stores.
public enum FixtureHook: String, CaseIterable, Sendable {
  /// `open` may be called for the location of an open store, and returns a second handle or throws.
  case secondHandle
  /// `run(_:at:in:_:)` injects faults.
  case faults
  /// `start(_:on:)` starts a process that opens the location.
  case processes
  /// `destroy(_:)` may be called for the location of an open store, and the location opened again.
  case replacement

  /// The reason why rules that need it were not tested.
  var reasonForLack: String {
    switch self {
    case .secondHandle: "the fixture opens no second handle"
    case .faults: "the fixture does not inject faults"
    case .processes: "the fixture starts no processes"
    case .replacement: "the fixture does not remove open stores"
    }
  }
}

/// A fault while a store changes its data.
public enum StoreFault: String, CaseIterable, Sendable {
  /// One step fails with an error, as when a disk is full for a moment; later steps succeed.
  case failure
  /// The step and all later steps fail, as when the process ends there. Written data stays.
  case crash
}
