import Foundation
import ModelLayer
import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreProtocol
import Synchronization
import Testing

@Model final class Pier {
  @Attribute(.unique) var name: String
  var length = 1.0

  init(name: String) { self.name = name }
}

/// Saves during which the server, the pooler or an administrator intervenes.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  ),
  .timeLimit(.minutes(30))
)
struct `Saves with faults in PostgreSQL` {
  /// Runs a function with the configuration of a new store at a socket in a folder.
  private func withStore(
    at folder: URL,
    prepares: Bool = true,
    _ types: [any PersistentModel.Type] = [Harbor.self, Ferry.self, Pier.self],
    _ body: (PostgreSQLStoreConfiguration) throws -> Void
  ) throws {
    var connection = try PrivateCluster.shared().configuration(folder: folder.path)
    connection.preparesStatements = prepares
    let schema = Schema(types)
    let name = "f" + UUID().uuidString
    let configuration = try PostgreSQLStoreConfiguration(
      connection,
      databaseSchema: name,
      schema: schema
    )
    defer {
      try? SchemaFixture().destroy(
        PostgreSQLStoreConfiguration(
          PrivateCluster.shared().configuration(),
          databaseSchema: name,
          schema: schema
        )
      )
    }
    try body(configuration)
  }

  // MARK: Poolers

  @Test(
    .enabled(
      if: PrivatePooler.isAvailable || PrivatePooler.isRequired,
      "PgBouncer is not installed"
    ),
    arguments: ["the server's connection is lost", "the pooler's query_timeout passes"]
  )
  func `a save whose response a pooler loses is stored once`(_ fault: String) throws {
    let proxy = try FaultProxy(PrivateCluster.shared())
    defer { proxy.stop() }
    let isLost = fault.hasPrefix("the server")
    let pooler = try PrivatePooler(
      server: proxy.folder,
      settings: isLost ? [] : ["query_timeout = 1"]
    )
    try withStore(at: pooler.folder, prepares: false) { configuration in
      let container = try ModelContainer(
        for: Harbor.self,
        Ferry.self,
        Pier.self,
        configurations: configuration
      )
      let context = ModelContext(container)
      // The first save reads the number of the last one, the second one assumes it.
      for number in 1...3 {
        context.insert(Ferry(length: Double(number)))
        let isDue = Mutex(true)
        proxy.set { direction, bytes in
          guard direction == .toClient, bytes.contains("COMMIT\0"),
            isDue.withLock({ isDue in
              defer { isDue = false }
              return isDue
            })
          else { return .pass }
          return isLost ? .cut : .swallow
        }
        try context.save()
        #expect(!isDue.withLock { $0 })
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ferry>()) == number)
      }
    }
  }

  @Test(
    .enabled(
      if: PrivatePooler.isAvailable || PrivatePooler.isRequired,
      "PgBouncer is not installed"
    ),
    arguments: [true, false]
  )
  func `a read whose connection a pooler loses is not damage`(_ isAtBegin: Bool) throws {
    let proxy = try FaultProxy(PrivateCluster.shared())
    defer { proxy.stop() }
    let pooler = try PrivatePooler(server: proxy.folder)
    try withStore(at: pooler.folder, prepares: false) { configuration in
      var configuration = configuration
      // All rows are read by COPY.
      configuration.copiedRows = 0
      let store = try PostgreSQLStore(configuration)
      let container = try ModelContainer(
        for: Harbor.self,
        Ferry.self,
        Pier.self,
        configurations: configuration
      )
      let context = ModelContext(container)
      for number in 0..<5000 { context.insert(Ferry(length: Double(number))) }
      try context.save()
      let query = StoreQuery(entity: "Ferry")
      #expect(try store.fetch(query).count == 5000)
      proxy.set { direction, bytes in
        guard direction == .toClient, bytes.contains("PGCOPY") else { return .pass }
        return isAtBegin ? .cut : .passAndCut
      }
      let error = #expect(throws: DataStoreError.self) { try store.fetch(query) }
      #expect(error == .io, "\(String(describing: error))")
      proxy.set { _, _ in .pass }
      #expect(try store.fetch(query).count == 5000)
    }
  }

  // MARK: Lost connections

  private typealias Change = (name: String, make: (ModelContext) throws -> Void)

  /// Changes, the last of which conflicts with the save of another context.
  private let changes: [Change] = [
    ("an insertion", { $0.insert(Ferry(length: 7)) }),
    ("an update", { try $0.fetch(FetchDescriptor<Harbor>()).first?.name = "Kiel" }),
    (
      "a deletion",
      { context in try context.fetch(FetchDescriptor<Harbor>()).forEach(context.delete) }
    ),
    ("a deletion of all", { try $0.delete(model: Ferry.self) }),
    (
      "an update of all",
      { context in
        try context.update(model: Ferry.self, set: .set(\.length, to: 3))
      }
    ),
    (
      "a merge",
      { context in
        context.insert(Pier(name: "north"))
        context.insert(Ferry(length: 8))
      }
    ),
    (
      "a conflict",
      { context in
        let harbor = try context.fetch(FetchDescriptor<Harbor>()).first
        let other = ModelContext(context.container)
        try other.fetch(FetchDescriptor<Harbor>()).first?.name = "Wismar"
        try other.save()
        harbor?.name = "Kiel"
        context.insert(Ferry(length: 9))
      }
    ),
  ]

  private func contents(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Harbor>()).map(\.name).sorted()
      + context.fetch(FetchDescriptor<Ferry>()).map { "\($0.length)" }.sorted()
      + context.fetch(FetchDescriptor<Pier>()).map(\.name).sorted()
  }

  @Test(arguments: 0..<7)
  func `a save whose connection is lost at any request is not saved, or of unknown outcome`(
    _ index: Int
  ) throws {
    let change = changes[index]
    let proxy = try FaultProxy(PrivateCluster.shared())
    defer { proxy.stop() }
    var results: Set<String> = []
    for number in 0..<8 {
      proxy.set { _, _ in .pass }
      try withStore(at: proxy.folder) { configuration in
        let container = try ModelContainer(
          for: Harbor.self,
          Ferry.self,
          Pier.self,
          configurations: configuration
        )
        let before = ModelContext(container)
        let harbor = Harbor(name: "Rostock")
        before.insert(harbor)
        before.insert(Pier(name: "north"))
        for length in [1.0, 2] {
          let ferry = Ferry(length: length)
          before.insert(ferry)
          ferry.harbor = harbor
        }
        try before.save()
        let context = ModelContext(container)
        try change.make(context)
        let passed = Mutex(0)
        proxy.set { direction, _ in
          guard direction == .toServer else { return .pass }
          let count = passed.withLock { passed in
            defer { passed += 1 }
            return passed
          }
          return count == number ? .cut : .pass
        }
        do {
          try context.save()
          results.insert("saved")
        } catch let error as DataStoreError {
          results.insert("\(error.code)")
          #expect(
            [.notSaved, .outcomeUnknown].contains(error),
            "\(change.name), request \(number): \(error)"
          )
        }
        proxy.set { _, _ in .pass }
        try context.save()
        let expected = try contents(context)
        #expect(try contents(ModelContext(container)) == expected)
        #expect(expected.count == ([5, 4, 1, 2, 4, 5, 5] as [Int])[index], "\(expected)")
      }
    }
    #expect(results.count > 1)
  }

  @Test func `a save to a server that does not respond takes one timeout, not two`() throws {
    let proxy = try FaultProxy(PrivateCluster.shared())
    defer { proxy.stop() }
    try withStore(at: proxy.folder) { configuration in
      var configuration = configuration
      configuration.timeout = .seconds(10)
      let container = try ModelContainer(
        for: Harbor.self,
        Ferry.self,
        Pier.self,
        configurations: configuration
      )
      let context = ModelContext(container)
      context.insert(Ferry(length: 1))
      try context.save()
      context.insert(Ferry(length: 2))
      // From the statements with COMMIT on, the server does not respond.
      let isSilent = Mutex(false)
      proxy.set { direction, bytes in
        if direction == .toServer, bytes.contains("INSERT INTO") { isSilent.withLock { $0 = true } }
        return direction == .toClient && isSilent.withLock { $0 } ? .swallow : .pass
      }
      let elapsed = ContinuousClock().measure {
        #expect(throws: DataStoreError.outcomeUnknown) { try context.save() }
      }
      #expect(elapsed < .seconds(17))
      proxy.set { _, _ in .pass }
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ferry>()) == 2)
    }
  }
}

extension [UInt8] {
  fileprivate func contains(_ string: String) -> Bool {
    String(decoding: self, as: UTF8.self).contains(string)
  }
}
