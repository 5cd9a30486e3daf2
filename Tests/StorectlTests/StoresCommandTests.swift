import Foundation
import OpenSwiftData
import PostgreSQLTestSupport
import Testing

@testable import StoreTool

@Model private final class Room {
  var number: Int

  init(number: Int) { self.number = number }
}

@Suite("storectl stores")
struct StoresCommandTests {
  @Test(
    .enabled(
      if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
      "no PostgreSQL server is installed"
    )
  )
  func `lists the stores of a database`() async throws {
    let folder = try PrivateCluster.shared().folder.path
    let url = "postgres:///postgres?host=\(folder)&port=\(PrivateCluster.port)&user=tester"
    let name = "rooms " + UUID().uuidString
    let database = try PostgreSQLDatabase(url: url, schema: Schema([Room.self]))
    try database.createStore(named: name)
    let container = try ModelContainer(
      for: Schema([Room.self]),
      configurations: [database.configuration(ofStore: name)]
    )
    let context = ModelContext(container)
    context.insert(Room(number: 7))
    try context.save()
    let store = try #require(try database.stores().first { $0.name == name })
    defer { try? database.drop(store) }

    let text = await Run.storectl("stores", url, width: 120)
    #expect(text.code == 0, "\(text.errors)")
    let line = try #require(text.lines.first { $0.hasPrefix(name) })
    let date = try #require(store.lastSave).formatted(.iso8601)
    #expect(
      line.split(separator: " ").dropFirst(2).map(String.init)
        == ["1.0.0", "1", "\(store.bytes)", date]
    )
    #expect(text.lines[0].split(separator: " ").first == "Store")

    let json = await Run.storectl("stores", url, "--format", "json")
    let values = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
    let found = try #require((values as? [[String: Any]])?.first { $0["name"] as? String == name })
    #expect(found["identifier"] as? String == store.identifier)
    #expect(found["saves"] as? Int == 1)
    #expect(found["lastSave"] as? String == date)

    var follower = HistoryFollower(
      "\(url)&schema=\(name.replacingOccurrences(of: " ", with: "%20"))",
      filter: [],
      after: 1
    )
    #expect(try follower.next().isEmpty)
    context.insert(Room(number: 8))
    try context.save()
    #expect(try follower.next().map(\.number) == [2])
    #expect(try follower.next().isEmpty)

    let move = await Run.storectl("move", url, name, "--to", "host:5432")
    #expect(move.code == 1)
    #expect(move.errors.contains("citus"))
  }

  @Test func `refuses a URL of a store`() async {
    for url in ["sqlite:books.sqlite", "postgres://host/shop?schema=a"] {
      let run = await Run.storectl("stores", url)
      #expect(run.code == 1)
      #expect(run.errors.contains("URL"))
    }
  }
}
