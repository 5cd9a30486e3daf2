import Foundation
import Testing

@Suite("storectl")
struct StorectlTests {
  /// Creates a store with two trips, one of them a business trip with one item on its list.
  private static func makeTrips(in store: String) throws {
    let dates = ["--from", "2026-12-02", "--until", "2026-12-03"]
    let steps = [
      ["add", "Fair", "--to", "Bonn", "--per-diem", "28.5"] + dates,
      ["add", "Walk", "--to", "Eifel"] + dates,
      ["plan", "Fair", "Talk"],
    ]
    for step in steps {
      let result = try ExampleProcess.trips.run(["--store", store] + step)
      try #require(result.code == 0, "\(result.errors)")
    }
  }

  @Test(arguments: ["sqlite", "json"])
  func `info describes a store without its models`(kind: String) throws {
    let folder = try TemporaryFolder()
    let store = folder.store(kind)
    try Self.makeTrips(in: store)
    let info = try ExampleProcess.storectl.run(["info", store])
    #expect(info.code == 0)
    #expect(info.lines.contains("BucketListItem       -                  4              1     1"))
    #expect(info.lines.contains("BusinessTrip         Trip               6              2     1"))
  }

  @Test(arguments: ["sqlite", "json"])
  func `history lists each save, and filters and limits them`(kind: String) throws {
    let folder = try TemporaryFolder()
    let store = folder.store(kind)
    try Self.makeTrips(in: store)
    let all = try ExampleProcess.storectl.run(["history", store])
    #expect(all.code == 0)
    #expect(all.lines.contains("  +BusinessTrip/1"))
    #expect(all.lines.last { !$0.isEmpty }?.hasPrefix("3 of transactions ") == true)
    let some = try ExampleProcess.storectl.run(["history", store, "--entity", "BucketListItem"])
    #expect(some.lines.contains { $0.hasPrefix("  +BucketListItem/") })
    #expect(some.lines.last { !$0.isEmpty }?.hasPrefix("1 of ") == true)
    let newest = try ExampleProcess.storectl.run(["history", store, "--limit", "2"])
    #expect(newest.lines.last { !$0.isEmpty }?.hasPrefix("2 of ") == true)
  }

  @Test(arguments: ["sqlite", "json"])
  func `count includes rows of subentities`(kind: String) throws {
    let folder = try TemporaryFolder()
    let store = folder.store(kind)
    try Self.makeTrips(in: store)
    #expect(try ExampleProcess.storectl.run(["count", store, "Trip"]).output == "2\n")
    #expect(try ExampleProcess.storectl.run(["count", store, "BusinessTrip"]).output == "1\n")
    let unknown = try ExampleProcess.storectl.run(["count", store, "Trips"])
    #expect(unknown.code == 1)
    #expect(unknown.errors.contains("no entity 'Trips'; it has BucketListItem"))
  }

  @Test(arguments: [("sqlite", "json"), ("json", "sqlite")])
  func `copy works without the store's models`(from: String, to: String) throws {
    let folder = try TemporaryFolder()
    let (source, target) = (folder.store(from, "source"), folder.store(to, "target"))
    try Self.makeTrips(in: source)
    let result = try ExampleProcess.storectl.run(["copy", source, target])
    #expect(result.output == "Copied and compared 3 objects.\n")
    let show = ["show", "Fair", "--today", "2026-12-01"]
    let shown = try ExampleProcess.trips.run(["--store", source] + show)
    #expect(shown.output.contains("Talk"))
    #expect(try ExampleProcess.trips.run(["--store", target] + show).output == shown.output)
  }

  @Test(arguments: ["sqlite"])
  func `verify, compact and backup succeed for a store`(kind: String) throws {
    let folder = try TemporaryFolder()
    let (store, copy) = (folder.store(kind), folder.url.path + "/copy.\(kind)")
    try Self.makeTrips(in: store)
    #expect(try ExampleProcess.storectl.run(["compact", store]).output == "Compacted.\n")
    #expect(
      try ExampleProcess.storectl.run(["backup", store, copy]).output == "Copied to \(copy).\n"
    )
    let again = try ExampleProcess.storectl.run(["backup", store, copy])
    #expect(again.code == 1)
    #expect(again.errors.contains("choose another path"))
    let verified = try ExampleProcess.storectl.run(["verify", "\(kind):\(copy)"])
    #expect(verified.output == "No problems were found.\n")
    #expect(try ExampleProcess.storectl.run(["count", "\(kind):\(copy)", "Trip"]).output == "2\n")
  }

  @Test func `verify prints each problem of a damaged store`() throws {
    let folder = try TemporaryFolder()
    let store = folder.store("sqlite")
    try Self.makeTrips(in: store)
    let file = folder.url.appending(path: "flights.sqlite")
    // Replace one byte of a string with an invalid one.
    var bytes = try Data(contentsOf: file)
    let name = try #require(bytes.range(of: Data("Eifel".utf8), options: .backwards))
    bytes[name.lowerBound] = 0xFF
    try bytes.write(to: file)
    let result = try ExampleProcess.storectl.run(["verify", store])
    #expect(result.code == 1)
    #expect(result.lines.contains { $0.contains(".destination") }, "\(result.output)")
    #expect(result.errors.contains("the store has"))
  }

  @Test(arguments: ["sqlite", "json"])
  func `info does not create a missing store`(kind: String) throws {
    let folder = try TemporaryFolder()
    let result = try ExampleProcess.storectl.run(["info", folder.store(kind)])
    #expect(result.code == 1)
    #expect(result.errors.contains("flights.\(kind)"))
    #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/flights.\(kind)"))
  }

  @Test(arguments: ["sqlite", "json"])
  func `info does not change a file that is not a store`(kind: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "flights.\(kind)")
    try Data("junk".utf8).write(to: file)
    #expect(try ExampleProcess.storectl.run(["info", folder.store(kind)]).code == 1)
    #expect(try Data(contentsOf: file) == Data("junk".utf8))
  }

  @Test func `waiting for a store in use prints the reason and can be interrupted`() throws {
    let folder = try TemporaryFolder()
    let store = folder.store("json")
    try Self.makeTrips(in: store)
    let lock = open(folder.url.appending(path: "flights.json.lock").path, O_RDWR)
    defer { close(lock) }
    #expect(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
    #expect(try ExampleProcess.storectl.kill(["compact", store], after: 1, by: SIGTERM))
    let busy = try ExampleProcess.storectl.run(["compact", "\(store)?timeout=0"])
    #expect(busy.code == 1 && busy.errors.contains("open elsewhere"))
    let read = try ExampleProcess.storectl.run(["count", store, "Trip"])
    #expect(read.code == 0 && read.output == "2\n" && read.errors.contains("is in use"))
  }
}
