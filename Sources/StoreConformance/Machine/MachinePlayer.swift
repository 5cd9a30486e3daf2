import Foundation
import StoreProtocol

/// Runs the steps of a case on a store and on the model of the contract, and compares them.
struct MachinePlayer {
  let bench: StoreBench
  /// The store as it must be now.
  var model: ContractModel
  /// The identifiers of the rows of the model.
  var names: MachineNames
  let capabilities: StoreCapabilities
  /// The key of the next new row, if the store says so.
  var nextKey: Int64?
  /// The last new row.
  var lastNew: PersistentIdentifier?
  /// The number of the last save.
  var lastSave: Int64 = 0
  /// The saves since the last call of the watch.
  var unwatched: [Int64] = []
  private var watch: (any StoreWatch)?
  private var asked: [MachineQuestion] = []

  /// Creates the store of a location with the schema of the machine.
  init(_ bench: StoreBench) throws {
    self.bench = bench
    do {
      try bench.open(MachineSchema.schema)
    } catch DataStoreError.unsupportedFeature {
      try bench.open(MachineSchema.plainSchema)
    }
    let store = try bench.untraced
    capabilities = store.capabilities
    model = ContractModel(bench.schema.storeSchema)
    names = MachineNames(store: store.identifier)
    nextKey = try store.nextKey()
    watch = try store.watch()
    if let history = try history { model.history.begin(at: try history.historyBounds()) }
  }

  /// Whether the store's history is compared: that needs the numbers of saves.
  static func hasHistory(_ store: any RecordStore) -> Bool {
    store.capabilities.history.isSupported && store.capabilities.versions == .native
  }

  /// The store if its history is compared.
  var history: (any HistoryKeeping)? {
    get throws {
      let store = try bench.untraced
      return Self.hasHistory(store) ? store as? any HistoryKeeping : nil
    }
  }

  /// Runs a step and compares its own results.
  mutating func play(_ step: MachineCase.Step) throws {
    switch step {
    case .save(let batch): try save(prepared(batch))
    case .meanwhile(let batch): try saveMeanwhile(prepared(batch))
    case .ask(let seed): try ask(seed)
    case .forget(let saves): try forget(saves)
    case .reader(let name, let save): try setReader(name, save)
    case .reopen:
      watch = nil
      unwatched = []
      try bench.reopen()
      watch = try bench.untraced.watch()
      try adoptVersions()
    case .erase: try erase()
    }
  }

  /// Compares everything visible.
  func compareAll() throws {
    try compare(MachineQuestion.picture(model, names))
    try compareRest()
  }

  private func compare(_ questions: [MachineQuestion]) throws {
    let store = try bench.untraced
    for question in questions {
      try question.compare(question.found(store)(names), with: question.expected(model))
    }
  }

  /// Compares what no state of rows contains.
  private func compareRest() throws {
    try expect("the next key (IDENT-016)", bench.untraced.nextKey(), equals: nextKey)
    guard let history = try history else { return }
    let bounds = try history.historyBounds()
    let own = model.history
    try expect("the cut of the history (HIST-009)", bounds.cut, equals: own.cut)
    // Saves after the last transaction may have left none, or theirs is deleted.
    let last = own.saves.last ?? 0
    try expect("the end of the history (HIST-009)", bounds.last, >=, last, "\(last) or later")
    try expect("the save at the cut (HIST-016)", bounds.cutSave, equals: own.cutSave)
    try expect("the last save (HIST-016)", bounds.lastSave, equals: own.save(at: .max))
    let readers = own.readers.sorted { $0.key < $1.key }.map(\.value)
    try expect("the readers (HIST-017, HIST-019)", history.historyReaders(), equals: readers)
  }

  /// Adopts the versions after reopening, which need only make older ones outdated (VERSION-014).
  private mutating func adoptVersions() throws {
    for entity in model.schema.entities where entity.superentity == nil {
      for record in try bench.untraced.fetch(StoreQuery(entity: entity.name)) {
        let number = names.inNumbers(record.persistentIdentifier).integerKey ?? 0
        model.setVersion(record.version, of: number)
      }
    }
    // The number of a save that changed no row that is left may be used again.
    lastSave = model.rows.values.map(\.version).max() ?? 0
  }

  private mutating func ask(_ seed: UInt64) throws {
    var generator = MachineQuestionGenerator(seed, model, names, capabilities)
    // A store may remember results of the requests of the step before.
    try compare(asked)
    asked = (0..<20).map { _ in generator.query() } + (0..<3).map { _ in generator.selection() }
    try compare(asked)
    for _ in 0..<4 { try compare([generator.members(), generator.transactions()]) }
    try checkPosition(seed)
    try checkWatch()
  }

  /// Expects the last save at or before a position in the history, which may be between two saves.
  private func checkPosition(_ seed: UInt64) throws {
    guard let history = try history else { return }
    let bounds = try history.historyBounds()
    guard bounds.cut <= bounds.last else { return }
    let number = bounds.cut + Int64(seed % UInt64(bounds.last - bounds.cut + 1))
    let save = try history.saveIdentifier(at: number)
    try expect("the save at \(number) (HIST-016)", save, equals: model.history.save(at: number))
  }

  /// Expects that each save since the last call is among those that the watch reports.
  private mutating func checkWatch() throws {
    guard let watch, let first = unwatched.first, let last = unwatched.last else { return }
    unwatched = []
    let found = try watch.newSaves()
    let hasAll = found.map { $0.contains(first) && $0.contains(last) } ?? false
    let text = found.map { "\($0)" } ?? "no saves"
    guard !hasAll else { return }
    throw RuleViolation(
      "the saves that the watch reports (CONC-014)",
      expected: "those from \(first) to \(last)",
      found: text
    )
  }

  private mutating func forget(_ saves: [Int]) throws {
    guard let history = try history else { return }
    let known = model.history.saves
    let numbers = Set(saves.filter(known.indices.contains).map { known[$0] })
    let filter = saves.isEmpty ? nil : StoreHistoryFilter.numbers(numbers)
    try history.deleteTransactions(filter)
    model.history.delete(filter ?? .constant(true))
  }

  private mutating func setReader(_ name: String, _ save: Int?) throws {
    guard let history = try history else { return }
    let position = model.history.position(name, at: save)
    if let position {
      try history.setHistoryReader(position)
    } else {
      try history.removeHistoryReader(name)
    }
    model.history.readers[name] = position
  }

  private mutating func erase() throws {
    try bench.store.erase()
    model.erase()
    nextKey = try bench.untraced.nextKey()
    _ = try watch?.newSaves()
    unwatched = []
    guard let history = try history else { return }
    let bounds = try history.historyBounds()
    let (cut, last) = (bounds.cut, model.history.saves.last ?? 0)
    try expect("the cut \(cut) after an erasure (HIST-010)", cut >= last, "the last save or later")
    model.history.begin(at: bounds)
    // Whether an erasure removes the readers is left to the store.
    model.history.readers = Dictionary(lastOf: try history.historyReaders().map { ($0.name, $0) })
  }
}
