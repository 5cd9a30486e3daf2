import ComposableStores
import OpenSwiftData
import StoreTestSupport
import Testing

@Model
final class Consignment {
  var label: String
  var weight: Int
  var lorry: Lorry?

  init(_ label: String, weight: Int = 1, lorry: Lorry? = nil) {
    self.label = label
    self.weight = weight
    self.lorry = lorry
  }
}

@Model
final class Lorry {
  var plate: String
  @Relationship(inverse: \Consignment.lorry) var crates: [Consignment] = []

  init(_ plate: String) {
    self.plate = plate
  }
}

/// A store of some kind in which some saves have an unknown outcome.
final class IndeterminateFixture {
  let container: ModelContainer
  let outcomes: UnknownOutcomes
  let context: ModelContext
  private let folder: TemporaryFolder

  init(_ kind: EveryStore) throws {
    let folder = try TemporaryFolder()
    let outcomes = UnknownOutcomes()
    let schema = Schema([Consignment.self, Lorry.self])
    func faulty<Base: DataStoreConfiguration>(
      _ base: Base
    ) throws -> ModelContainer where Base.Store: RecordStore {
      try ModelContainer(for: schema, configurations: base.faulty(outcomes.plan))
    }
    self.folder = folder
    self.outcomes = outcomes
    container =
      switch kind {
      case .memory: try faulty(MemoryStoreConfiguration())
      case .sqliteInMemory: try faulty(SQLiteStoreConfiguration.inMemory())
      case .sqlite: try faulty(SQLiteStoreConfiguration(url: folder.file("store.db")))
      case .json: try faulty(JSONFileStoreConfiguration(url: folder.file("store.json")))
      case .textKeys: try faulty(TextKeyStore.Configuration())
      case .postgreSQL: try faulty(PostgreSQLStoreConfiguration(url: kind.url(in: folder)))
      }
    context = ModelContext(container)
    context.autosaveEnabled = false
  }

  /// The stored consignments, by label.
  func stored() throws -> [String] {
    let crates = try ModelContext(container).fetch(FetchDescriptor<Consignment>())
    return crates.map { "\($0.label) \($0.weight) \($0.lorry?.plate ?? "-")" }.sorted()
  }

  /// Saves, and expects an unknown outcome.
  func saveWithUnknownOutcome(
    _ fate: UnknownOutcomes.Fate,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    outcomes.begin(fate)
    #expect(throws: DataStoreError.outcomeUnknown, sourceLocation: sourceLocation) {
      try context.save()
    }
  }

  /// Lets the store report outcomes again, and saves.
  func saveAgain() throws {
    outcomes.recover()
    try context.save()
    #expect(!context.hasChanges)
  }
}
