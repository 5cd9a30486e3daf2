import Foundation
import OpenSwiftData

/// Opens and reads one store after the other in every way there is, and tells what each took.
struct Survey {
  /// Makes a store with every kind of value and a history; ends without closing it where its log
  /// or journal is to stay.
  static func exhibit(_ url: String, isOpen: Bool) throws -> Int32 {
    let container = try DamagedStore(url).open()
    for number in 0..<4 { try Exhibits.save(number, "e", in: ModelContext(container)) }
    if isOpen { _exit(0) }
    return 0
  }

  /// Responds to each line, the URL of a store, with one: what came of it, the most memory that the
  /// process had meanwhile in kibibytes, and the milliseconds that it took.
  static func perform() throws -> Int32 {
    // The first store of a process pays for what all use.
    while let url = readLine() {
      try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
      let clock = ContinuousClock()
      let start = clock.now
      let verdicts = [Self.withModels, Self.withoutModels].map { Self.verdict($0, url) }
      let milliseconds = (clock.now - start) / .milliseconds(1)
      let peak = try DamageCommands.peak()
      Output.line("\(verdicts.joined(separator: " ")) \(peak) \(Int(milliseconds))")
    }
    return 0
  }

  /// One word for what came of a way to use a store.
  private static func verdict(_ use: (String) throws -> Void, _ url: String) -> String {
    do {
      try use(url)
      return "read"
    } catch let error where error is DataStoreError || error is SwiftDataError {
      return error.word
    } catch {
      Output.complain(error)
      return "WRONG-\(error.word)"
    }
  }

  /// As a program does that has the models.
  private static func withModels(_ url: String) throws {
    let container = try DamagedStore(url).open()
    let context = ModelContext(container)
    _ = try context.touchDamaged()
    _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try Exhibits.save(9, "s", in: context)
    for store in container.stores { _ = try (store as? any MaintainableStore)?.verify() }
  }

  /// As a tool does that knows the schema from the file alone.
  private static func withoutModels(_ url: String) throws {
    let configuration = try StoreScheme.configuration(for: url + "?readonly=yes")
    try read(configuration)
  }

  private static func read<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration
  ) throws {
    let store = try Configuration.Store(configuration, migrationPlan: nil)
    guard let plain = store as? any RecordStore else { throw WorkerError.wrong("no rows") }
    for entity in plain.schema.storeSchema.entities {
      _ = try plain.fetch(StoreQuery(entity: entity.name))
    }
    if let history = store as? any HistoryKeeping {
      _ = try history.historyBounds()
      _ = try history.transactions(StoreHistoryQuery())
    }
    _ = try (store as? any MaintainableStore)?.verify()
  }
}
