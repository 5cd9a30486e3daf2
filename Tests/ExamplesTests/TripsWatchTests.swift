import Foundation
import Testing

@Suite("trips watch", .timeLimit(.minutes(30)))
struct TripsWatchTests {
  @Test func `reports a confirmation by another process and marks the trip`() throws {
    let planner = try TripsTests.Planner("sqlite")
    try planner.addChristmas()
    #expect(try planner.run(["stay", "Christmas", "Bristol"]).code == 0)
    let store = ["--store", planner.folder.store("sqlite", "trips")]
    let watcher = try ChildProcess(ExampleProcess.trips.path, store + ["watch", "--count", "1"])
    // Wait until the watcher prints that it has started.
    let begun = watcher.output.availableData
    #expect(String(decoding: begun, as: UTF8.self).hasPrefix("Watching"))
    #expect(try planner.run(["confirm", "Christmas"]).code == 0)
    let rest = String(decoding: watcher.output.readDataToEndOfFile(), as: UTF8.self)
    #expect(rest == "Christmas: Bristol is confirmed.\n")
    #expect(watcher.wait() == .exited(code: 0))
    #expect(try planner.run(["list"]).output.contains("Christmas *"))
    #expect(try planner.run(["show", "Christmas"]).code == 0)
    #expect(try !planner.run(["list"]).output.contains("*"))
  }

  @Test func `fails immediately for an invalid count`() throws {
    let planner = try TripsTests.Planner("sqlite")
    let result = try planner.run(["watch", "--count", "none"])
    #expect(result.code != 0)
    #expect(result.errors.contains("--count"))
  }
}
