import StoreProtocol

/// What the suite has to know to try a store: how to make, open and remove one.
///
/// ```swift
/// struct Fixture: StoreFixture {
///   func makePlace() throws -> URL { … }
///   func open(_ place: URL, schema: Schema?) throws -> MyStore { … }
///   func destroy(_ place: URL) throws { … }
/// }
///
/// @Test(arguments: try Rule.all(for: Fixture()))
/// func keeps(_ rule: Rule) throws { try rule.check(Fixture()) }
/// ```
public protocol StoreFixture: Sendable {
  /// The kind of store.
  associatedtype Store: RecordStore
  /// What names the place of one store, such as a file or a configuration.
  associatedtype Place

  /// Returns a place where no store ever was.
  func makePlace() throws -> Place

  /// Opens the store of a place, making it where there is none.
  ///
  /// The suite lets go of a store, closed, before it opens its place again.
  ///
  /// - Parameters:
  ///   - place: Where.
  ///   - schema: The models; nil leaves them to what the store finds.
  /// - Returns: The open store.
  /// - Throws: The store's error, as the store throws it.
  func open(_ place: Place, schema: Schema?) throws -> Store

  /// Closes a store, where that takes more than to let go of it.
  func close(_ store: Store) throws

  /// Removes a place with all that is in it; its store is closed.
  func destroy(_ place: Place) throws

  /// What else the fixture can do, nothing by default.
  ///
  /// The rules that need more are skipped, and reports say so.
  var hooks: Set<FixtureHook> { get }

  /// Runs a body in which a step goes wrong by which the store changes what it keeps, for
  /// ``FixtureHook/faults``.
  ///
  /// Steps are counted from 1 since the body began: each write, rename, removal or sync is one.
  ///
  /// - Parameters:
  ///   - fault: What goes wrong.
  ///   - step: Which step it is.
  ///   - place: The place of the store, which is open.
  ///   - body: What the store does meanwhile.
  /// - Returns: Whether the store came as far as that step.
  func run(_ fault: StoreFault, at step: Int, in place: Place, _ body: () -> Void) -> Bool

  /// Starts a process that opens a place and does a task, for ``FixtureHook/processes``.
  ///
  /// The place has a store that is open in this process.
  ///
  /// - Parameters:
  ///   - task: The task, which the process creates again from its argument.
  ///   - place: The place to open.
  /// - Returns: A closure that waits for the end of the process, and returns what
  ///   ``ProcessTask/run(on:)`` returned there.
  /// - Throws: An error if the process cannot start.
  func start(_ task: ProcessTask, on place: Place) throws -> @Sendable () throws -> String
}

extension StoreFixture {
  /// Does nothing: the store closes when nobody holds it.
  public func close(_ store: Store) throws {}

  public var hooks: Set<FixtureHook> { [] }

  /// Runs the body, in which nothing goes wrong.
  public func run(_ fault: StoreFault, at step: Int, in place: Place, _ body: () -> Void) -> Bool {
    body()
    return false
  }

  /// Throws, since the fixture starts no processes.
  public func start(
    _ task: ProcessTask,
    on place: Place
  ) throws -> @Sendable () throws -> String {
    throw DataStoreError(.unsupportedFeature, "the fixture starts no processes")
  }
}

/// What a fixture can do beyond making, opening and removing stores.
public enum FixtureHook: String, CaseIterable, Sendable {
  /// `open` may be called for a place whose store is open, and gives a second one or throws.
  case secondHandle
  /// `run(_:at:in:_:)` makes steps go wrong.
  case faults
  /// `start(_:on:)` starts a process that opens the place.
  case processes

  /// Why rules that need it were not tried.
  var reasonForLack: String {
    switch self {
    case .secondHandle: "the fixture opens no second handle"
    case .faults: "the fixture makes nothing go wrong"
    case .processes: "the fixture starts no processes"
    }
  }
}

/// What goes wrong while a store changes what it keeps.
public enum StoreFault: String, CaseIterable, Sendable {
  /// One step fails with an error, as when a disk is full for a moment; what follows works.
  case failure
  /// The step and all that follow fail, as when the process ends there. What was written stays.
  case crash
}
