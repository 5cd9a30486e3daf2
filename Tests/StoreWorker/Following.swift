import Foundation
import OpenSwiftData

/// The command `follow`: a writer of saves and a consumer of their history, as a search index is one.
///
/// The consumer keeps an index of texts in a file of its own, with the token that it has reached and the
/// identifiers of all saves that it has applied. It judges each result of the history: one with a gap, and a
/// refusal without a reason, are reported as such.
struct Following {
  static let usage = """
    storeworker follow URL INDEX STEP...   with the steps save:SEED:COUNT, read, compare, both:SEED,
                         write:SEED, follow, die
    """

  private typealias Item = Narrow.Item

  /// The data that the consumer keeps, written in one step.
  private struct Index: Codable {
    var token = DefaultHistoryToken()
    var applied: [UUID] = []
    var texts: [PersistentIdentifier: String] = [:]
  }

  private let container: ModelContainer
  private let file: URL
  private var index: Index

  init(_ url: String, _ path: String) throws {
    container = try ModelContainer(for: Narrow.Item.self, Narrow.Box.self, store: url)
    file = URL(filePath: path)
    let data = try? Data(contentsOf: file)
    index = try data.map { try JSONDecoder().decode(Index.self, from: $0) } ?? Index()
  }

  /// Performs the steps, each reported in a line.
  mutating func callAsFunction(_ steps: ArraySlice<String>) throws -> Int32 {
    for step in steps {
      let parts = step.split(separator: ":")
      let numbers = parts.dropFirst().compactMap { UInt64($0) }
      switch (parts.first, numbers.count) {
      case ("save", 2):
        var source = Numbers(seed: numbers[0])
        for _ in 0..<numbers[1] { try save(&source) }
        Output.line("OK saved")
      case ("read", 0): Output.line(try read())
      case ("both", 1):
        var source = Numbers(seed: numbers[0])
        while true {
          for _ in 0..<source.next(below: 4) { try save(&source) }
          Output.line(try read())
        }
      case ("write", 1):
        var source = Numbers(seed: numbers[0])
        while true {
          try save(&source)
          Output.line("OK saved")
        }
      case ("follow", 0): while true { Output.line(try read()) }
      case ("compare", 0): Output.line(try comparison())
      case ("die", 0): kill(getpid(), SIGKILL)
      default: throw WorkerError.usage("'\(step)' is no step")
      }
    }
    return 0
  }

  /// Saves some changes of items: new ones, other texts, deletions.
  private func save(_ source: inout Numbers) throws {
    let context = ModelContext(container)
    for _ in 0...source.next(below: 3) {
      let number = source.next(below: 40)
      let found = try context.fetch(FetchDescriptor(predicate: Item.numbered(number))).first
      switch (found, source.next(below: 4)) {
      case (let item?, 0): context.delete(item)
      case (let item?, _): item.text = "\(source.next(below: 1_000_000))"
      case (nil, _):
        let item = Item(number: number)
        item.text = "\(source.next(below: 1_000_000))"
        context.insert(item)
      }
    }
    try context.save()
  }

  /// Brings the index up to date, and reports whether the history is correct.
  private mutating func read() throws -> String {
    let context = ModelContext(container)
    let before = try saves(of: context)
    let isPast = before.starts(with: index.applied)
    let last = index.token
    var changed: Set<PersistentIdentifier> = []
    var report = "OK read"
    do {
      let news = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last })
      )
      for transaction in news {
        changed.formUnion(transaction.changes.map(\.changedPersistentIdentifier))
        index.applied.append(transaction.saveIdentifier)
        index.token = transaction.token
      }
      // A writer beside may have saved since.
      guard isPast else { return "HOLE \(news.count) saves after some that the store lacks" }
      guard index.applied.starts(with: before) else {
        return "HOLE \(index.applied.count) applied of \(before.count)"
      }
      try note(changed, context)
    } catch let error as SwiftDataError
      where error == .historyTokenDiverged || error == .historyTokenExpired
    {
      if isPast { return "REFUSED a token of the store's own past: \(error.sentence)" }
      report = "OK \(error.code)"
      // First the position, then what there is.
      index.token = try context.currentHistoryToken()
      let reached = index.token
      index.applied = try saves(of: context, #Predicate { $0.token <= reached })
      index.texts = [:]
      for item in try context.fetch(FetchDescriptor<Item>()) {
        index.texts[item.persistentModelID] = item.text
      }
    }
    try JSONEncoder().encode(index).write(to: file, options: .atomic)
    try container.historyReader("index").advance(to: index.token)
    return report
  }

  /// Takes the changed items into the index as they are now.
  private mutating func note(_ changed: Set<PersistentIdentifier>, _ context: ModelContext) throws {
    let found = try context.fetch(
      FetchDescriptor<Item>(predicate: #Predicate { changed.contains($0.persistentModelID) })
    )
    for identifier in changed { index.texts[identifier] = nil }
    for item in found { index.texts[item.persistentModelID] = item.text }
  }

  /// Returns the saves of the store's whole history, or of a part of it.
  private func saves(
    of context: ModelContext,
    _ part: Predicate<DefaultHistoryTransaction>? = nil
  ) throws -> [UUID] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: part))
      .map(\.saveIdentifier)
  }

  /// Compares the index with the store, while there are no saves.
  private func comparison() throws -> String {
    let items = try ModelContext(container).fetch(FetchDescriptor<Item>())
    let texts = Dictionary(items.map { ($0.persistentModelID, $0.text) }) { first, _ in first }
    guard texts == index.texts else {
      return "DIFFERENT \(texts.count) rows, \(index.texts.count) in the index"
    }
    return "OK equal \(texts.count)"
  }
}
