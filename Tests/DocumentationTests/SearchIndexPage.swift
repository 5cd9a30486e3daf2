import Foundation
import OpenSwiftData
import Testing

// The code of the guide about a search index. The fault harness (`Scripts/test-faults consumers`)
// kills programs that write an index in the same way.

// snippet.search-index
/// The names of all trips, for a search, and the position in the history that they are from.
struct SearchIndex: Codable {
  private(set) var names: [PersistentIdentifier: String] = [:]
  private var position = DefaultHistoryToken()

  /// Takes in what was saved since the last time.
  mutating func update(from container: ModelContainer, file: URL) throws {
    let context = ModelContext(container)
    do {
      try read(context)
    } catch let error as SwiftDataError
      where error == .historyTokenExpired || error == .historyTokenDiverged
    {
      try rebuild(context)
    }
    try JSONEncoder().encode(self).write(to: file, options: .atomic)
    try container.historyReader("search-index").advance(to: position)
  }

  private mutating func read(_ context: ModelContext) throws {
    let last = position
    let news = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last })
    )
    let changed = Set(news.flatMap { $0.changes.map(\.changedPersistentIdentifier) })
    try replace(changed, context)
    position = news.last?.token ?? position
  }

  /// Reads objects as they are now, whatever became of them.
  private mutating func replace(
    _ changed: Set<PersistentIdentifier>,
    _ context: ModelContext
  ) throws {
    let trips = try context.fetch(
      FetchDescriptor<Trip>(predicate: #Predicate { changed.contains($0.persistentModelID) })
    )
    for identifier in changed { names[identifier] = nil }
    for trip in trips { names[trip.persistentModelID] = trip.name }
  }

  /// Begins anew: first the position, then the objects, so that no save falls between.
  private mutating func rebuild(_ context: ModelContext) throws {
    position = try context.currentHistoryToken()
    names = [:]
    for trip in try context.fetch(FetchDescriptor<Trip>()) {
      names[trip.persistentModelID] = trip.name
    }
  }
}
// snippet.end

@Suite struct `The search index of the guide` {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")

  private func container() throws -> ModelContainer {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try ModelContainer(
      for: Trip.self,
      store: "sqlite:\(folder.appending(path: "trips.db").path)"
    )
  }

  @Test func `follows saves, and is rebuilt after the store is replaced`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "index.json")
    var index = SearchIndex()
    var container = try container()
    try SampleTrips.fill(container)
    try index.update(from: container, file: file)
    #expect(index.names.values.sorted() == ["Alps", "Fjords"])
    let context = ModelContext(container)
    for trip in try context.fetch(FetchDescriptor<Trip>()) where trip.name == "Alps" {
      trip.name = "Andes"
    }
    try context.delete(model: Trip.self, where: #Predicate { $0.name == "Fjords" })
    try context.save()
    // Read as by the program's next run.
    index = try JSONDecoder().decode(SearchIndex.self, from: Data(contentsOf: file))
    try index.update(from: container, file: file)
    #expect(index.names.values.sorted() == ["Andes"])
    #expect(try container.historyReader("search-index").read().isEmpty)
    try container.close()
    // Replace the store with another that has as many saves.
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name != "index.json" {
      try FileManager.default.removeItem(at: folder.appending(path: name))
    }
    container = try self.container()
    try SampleTrips.fill(container)
    try SampleTrips.rename(in: container)
    try index.update(from: container, file: file)
    #expect(index.names.values.sorted() == ["Alps", "Fjords again"])
    try container.close()
  }

  @Test func `applies each transaction once in the same store`() throws {
    let container = try SampleTrips.container()
    try Self.count(container)
    try Self.count(container)
    try SampleTrips.rename(in: container)
    try Self.count(container)
    let notes = try ModelContext(container).fetch(FetchDescriptor<Stop>())
      .filter { $0.place.hasPrefix("save ") }
    #expect(notes.map(\.nights).sorted() == [1, 7])
  }

  static func count(_ container: ModelContainer) throws {
    // snippet.search-index-inside
    let reader = container.historyReader("report")
    for transaction in try reader.read() where transaction.author != "report" {
      let context = ModelContext(container)
      context.author = "report"
      context.insert(
        Stop("save \(transaction.transactionIdentifier)", nights: transaction.changes.count)
      )
      try reader.advance(to: transaction.token, in: context)
      try context.save()
    }
    // snippet.end
  }
}
