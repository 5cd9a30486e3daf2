import Foundation
import JSONFileStore
import StoreProtocol
import Testing

@Suite struct JSONFileStoreCrashTests {
  @Test func `saves before a kill are kept`() async throws {
    let fixture = try StoreFixture()
    let path = fixture.folder.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let url = URL(filePath: path).appending(path: "items.json")
      let store = try JSONFileStore(
        JSONFileStoreConfiguration(schema: StoreFixture.schema, url: url),
        migrationPlan: nil
      )
      for number in Int64(0)..<20 {
        try store.insert(
          newRow(["number": .integer(number)]),
          newRow(["number": .integer(number)])
        )
        if number == 9 { try store.compact() }
      }
      kill(getpid(), SIGKILL)
    }
    let store = try fixture.open()
    #expect(try store.all().compactMap { $0["number"] } == (0..<40).map { .integer($0 / 2) })
    #expect(try store.insert(newRow([:])).first?.integerKey == 41)
  }

  @Test func `an open store is busy for other processes until it is closed`() async throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    try store.insert(newRow([:]))
    let path = fixture.folder.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let url = URL(filePath: path).appending(path: "items.json")
      var configuration = JSONFileStoreConfiguration(schema: StoreFixture.schema, url: url)
      configuration.busyTimeout = 0.01
      do {
        _ = try JSONFileStore(configuration, migrationPlan: nil)
        exit(1)
      } catch DataStoreError.storeBusy {
        exit(0)
      }
    }
    try store.close()
    await #expect(processExitsWith: .success) { [path = path as String] in
      let url = URL(filePath: path).appending(path: "items.json")
      let store = try JSONFileStore(
        JSONFileStoreConfiguration(schema: StoreFixture.schema, url: url),
        migrationPlan: nil
      )
      exit(try store.all().count == 1 ? 0 : 1)
    }
  }
}
