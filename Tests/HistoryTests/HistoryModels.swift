import OpenSwiftData
import StoreTestSupport

@Model final class Journey {
  @Attribute(.preserveValueOnDeletion) var name: String
  var days: Int
  @Relationship(deleteRule: .cascade, inverse: \Stop.journey) var stops: [Stop] = []

  init(_ name: String, days: Int = 1) {
    self.name = name
    self.days = days
  }
}

@Model final class Stop {
  var title: String
  @Attribute(.preserveValueOnDeletion) var kind: Kind = Stop.Kind.city
  @Attribute(.preserveValueOnDeletion) var rating: Int?
  var journey: Journey?

  enum Kind: String, Codable { case city, beach }

  init(_ title: String, in journey: Journey? = nil) {
    self.title = title
    self.journey = journey
  }
}

@Model class Vehicle {
  @Attribute(.preserveValueOnDeletion) var plate: String
  var wheels: Int = 4

  init(_ plate: String) { self.plate = plate }
}

@Model final class Bus: Vehicle {
  var seats: Int

  init(_ plate: String, seats: Int) {
    self.seats = seats
    super.init(plate)
  }
}

@Model final class Badge {
  @Attribute(.unique) var code: String
  var owner: String

  init(_ code: String, _ owner: String) {
    self.code = code
    self.owner = owner
  }
}

/// The stores of a test, kept until the test has ended.
final class HistoryFixtures {
  private var kept: [HistoryFixture] = []

  /// A context of a new store.
  func context(_ kind: EveryStore, _ options: String = "") throws -> ModelContext {
    let fixture = try HistoryFixture(kind)
    kept.append(fixture)
    return try fixture.context(options)
  }
}

/// A store for one test.
final class HistoryFixture {
  let kind: EveryStore
  let folder: TemporaryFolder
  private var kept: ModelContainer?

  init(_ kind: EveryStore) throws {
    self.kind = kind
    folder = try TemporaryFolder()
  }

  /// Opens the store; an in-memory store is opened once.
  func open(_ options: String = "") throws -> ModelContainer {
    if let kept { return kept }
    let container = try ModelContainer(
      for: Schema([Journey.self, Stop.self, Vehicle.self, Bus.self, Badge.self]),
      store: kind.url(in: folder) + (options.isEmpty ? "" : "?\(options)")
    )
    if !kind.persists { kept = container }
    return container
  }

  func context(_ options: String = "") throws -> ModelContext { ModelContext(try open(options)) }
}

extension ModelContext {
  /// All of the history, or what a predicate finds.
  func history(
    _ predicate: Predicate<DefaultHistoryTransaction>? = nil
  ) throws -> [DefaultHistoryTransaction] {
    try fetchHistory(HistoryDescriptor(predicate: predicate))
  }

  /// The texts of the changes of all transactions after a token.
  func story(after token: DefaultHistoryToken? = nil) throws -> [String] {
    let all =
      try token.map { last in try history(#Predicate { $0.token > last }) } ?? history()
    return all.flatMap { $0.changes.map(\.text) }
  }

  @discardableResult
  func saved<M: PersistentModel>(_ model: M) throws -> M {
    insert(model)
    try save()
    return model
  }
}

extension HistoryChange {
  /// The change in one line: `+Journey/1`, `~Journey/1 days,name`, `-Journey/1 Paris`.
  var text: String {
    let identifier = "\(changedPersistentIdentifier)"
    switch self {
    case .insert: return "+\(identifier)"
    case .update(let update): return "~\(identifier) \(Self.names(update).joined(separator: ","))"
    case .delete(let delete):
      let values = Self.values(delete)
      return values.isEmpty ? "-\(identifier)" : "-\(identifier) \(values.joined(separator: ","))"
    }
  }

  private static func names<U: HistoryUpdate>(_ update: U) -> [String] {
    (update as? DefaultHistoryUpdate<U.Model>)?.updatedNames.sorted() ?? []
  }

  private static func values<D: HistoryDelete>(_ delete: D) -> [String] {
    delete.tombstone.map { "\($0)" }
  }
}
