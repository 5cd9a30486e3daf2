import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("Saves that wait for another writer", .timeLimit(.minutes(30)))
struct BusySaveTests {
  private let sample: OpenSample
  private let store: SQLiteStore

  init() throws {
    sample = try OpenSample()
    store = try SQLiteStore.inFile(sample.path, busyTimeout: 1)
  }

  /// Checks that many saves which begin at once all fail, and not one timeout after the other.
  private func expectBusy(_ save: @escaping @Sendable (SQLiteStore) throws -> Void) {
    let store = store
    let begin = ContinuousClock.now
    let errors = ArrivingThreads.errors(16) { try save(store) }
    // One after the other, they would take 16 timeouts, which are seconds here.
    #expect(ContinuousClock.now - begin < .seconds(8))
    #expect(errors.count == 16)
    for error in errors {
      #expect(error as? DataStoreError == .storeBusy)
      #expect((error as? DataStoreError)?.file?.hasSuffix("a.db") == true)
    }
  }

  private func expectBusySaves() throws {
    expectBusy { try OpenSample.save($0, "waiting") }
    expectBusy { try $0.erase() }
  }

  @Test func `end together after one timeout while another store saves`() throws {
    let other = try SQLiteStore.inFile(sample.path)
    try other.withWritableConnection { _ in try expectBusySaves() }
    try OpenSample.save(store, "later")
    #expect(try OpenSample.titles(store) == ["later"])
  }

  @Test func `end together after one timeout while another program writes`() throws {
    try OtherProgram.writing(to: sample.path) { try expectBusySaves() }
    try OpenSample.save(store, "later")
    #expect(try OpenSample.titles(store) == ["later"])
  }
}
