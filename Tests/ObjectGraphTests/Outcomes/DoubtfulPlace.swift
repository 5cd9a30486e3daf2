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

/// A store of some kind that does not know of some saves what became of them.
final class DoubtfulPlace {
  let container: ModelContainer
  let doubts: Doubts
  let context: ModelContext
  private let folder: TemporaryFolder

  init(_ kind: EveryStore) throws {
    let folder = try TemporaryFolder()
    let doubts = Doubts()
    let schema = Schema([Consignment.self, Lorry.self])
    func doubtful<Base: DataStoreConfiguration>(
      _ base: Base
    ) throws -> ModelContainer where Base.Store: RecordStore {
      try ModelContainer(for: schema, configurations: base.faulty(doubts.plan))
    }
    self.folder = folder
    self.doubts = doubts
    container =
      switch kind {
      case .memory: try doubtful(MemoryStoreConfiguration())
      case .sqliteInMemory: try doubtful(SQLiteStoreConfiguration.inMemory())
      case .sqlite: try doubtful(SQLiteStoreConfiguration(url: folder.file("store.db")))
      case .json: try doubtful(JSONFileStoreConfiguration(url: folder.file("store.json")))
      }
    context = ModelContext(container)
    context.autosaveEnabled = false
  }

  /// What is stored, by label.
  func stored() throws -> [String] {
    let crates = try ModelContext(container).fetch(FetchDescriptor<Consignment>())
    return crates.map { "\($0.label) \($0.weight) \($0.lorry?.plate ?? "-")" }.sorted()
  }

  /// Saves, with an outcome that nobody can tell yet.
  func saveInDoubt(_ fate: Doubts.Fate, sourceLocation: SourceLocation = #_sourceLocation) {
    doubts.begin(fate)
    #expect(throws: DataStoreError.outcomeUnknown, sourceLocation: sourceLocation) {
      try context.save()
    }
  }

  /// Has the store know again, and saves.
  func saveAgain() throws {
    doubts.recover()
    try context.save()
    #expect(!context.hasChanges)
  }
}
