import Foundation
import Testing

@Suite("storectl schema")
struct StorectlSchemaTests {
  @Test(arguments: ["sqlite", "json"])
  func `shows, locks and checks the schema of a store`(kind: String) throws {
    let folder = try TemporaryFolder()
    let (store, lock) = (folder.store(kind), folder.url.path + "/schema.lock")
    let add = ["add", "Fair", "--to", "Bonn", "--from", "2026-12-02", "--until", "2026-12-03"]
    let made = try ExampleProcess.trips.run(["--store", store] + add)
    try #require(made.code == 0, "\(made.errors)")
    let shown = try ExampleProcess.storectl.run(["schema", "show", store])
    #expect(shown.code == 0 && shown.lines.contains("BusinessTrip: Trip"))
    #expect(try ExampleProcess.storectl.run(["schema", "lock", store, lock]).code == 0)
    #expect(try ExampleProcess.storectl.run(["schema", "check", lock, store]).code == 0)
    let changed = lock + ".changed"
    let text = try String(contentsOfFile: lock, encoding: .utf8)
    try text.replacing("\"BucketListItem\"", with: "\"Wish\"")
      .write(toFile: changed, atomically: true, encoding: .utf8)
    let check = try ExampleProcess.storectl.run(["schema", "check", lock, changed])
    #expect(check.code == 1)
    #expect(check.errors.contains("Wish: added"))
  }
}
