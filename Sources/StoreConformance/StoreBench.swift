import StoreProtocol

/// One place with its store, as the checks of rules use it.
final class StoreBench {
  private let makeNeighbour: () throws -> StoreBench
  private let openStore: (Schema?) throws -> any RecordStore
  private let closeStore: (any RecordStore) throws -> Void
  private let destroyPlace: () throws -> Void
  private var current: (any RecordStore)?

  /// Makes a place; its store is opened with the sample schema when it is first used.
  init<Fixture: StoreFixture>(_ fixture: Fixture) throws {
    let place = try fixture.makePlace()
    makeNeighbour = { try StoreBench(fixture) }
    openStore = { try fixture.open(place, schema: $0) }
    closeStore = { if let store = $0 as? Fixture.Store { try fixture.close(store) } }
    destroyPlace = { try fixture.destroy(place) }
  }

  /// The open store.
  var store: any RecordStore {
    get throws {
      if let current { return current }
      return try open(Sample.schema)
    }
  }

  /// The open store, closed first where it was open.
  @discardableResult
  func open(_ schema: Schema?) throws -> any RecordStore {
    try close()
    let store = try openStore(schema)
    current = store
    return store
  }

  /// Closes the store and opens its place again.
  func reopen() throws { try open(Sample.schema) }

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

  private func close() throws {
    guard let store = current else { return }
    current = nil
    try closeStore(store)
  }
}
