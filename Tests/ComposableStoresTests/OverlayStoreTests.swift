import ComposableStores
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

/// A base with an atlas of two charts, and a store for edits.
private struct Bundle {
  let folder: TemporaryFolder
  let base: JSONFileStoreConfiguration
  let edits: SQLiteStoreConfiguration

  init() throws {
    folder = try TemporaryFolder()
    base = JSONFileStoreConfiguration(url: folder.file("base.json"))
    edits = SQLiteStoreConfiguration(url: folder.file("edits.db"))
    let (_, context) = try open(base)
    let atlas = Atlas("North")
    context.insert(atlas)
    for name in ["Kattegat", "Skagerrak"] { context.insert(Chart(name, atlas: atlas)) }
    try context.save()
  }

  func overlay() throws -> (container: ModelContainer, context: ModelContext) {
    try open(base.overlaid(by: edits))
  }

  /// Edits: one chart renamed, one deleted, one new in a new atlas.
  func edit() throws {
    let (_, context) = try overlay()
    let charts = try context.fetch(FetchDescriptor<Chart>(sortBy: [SortDescriptor(\.name)]))
    charts[0].name = "Kattegatt"
    context.delete(charts[1])
    context.insert(Chart("Oresund", scale: 5, atlas: Atlas("Straits")))
    try context.save()
  }
}

@Suite struct OverlayStoreTests {
  @Test func `edits hide rows of the base, and the base is unchanged`() throws {
    let bundle = try Bundle()
    let before = try Data(contentsOf: bundle.folder.file("base.json"))
    try bundle.edit()
    let (container, context) = try bundle.overlay()
    #expect(try names(in: container) == ["Kattegatt", "Oresund"])
    let atlases = try context.fetch(FetchDescriptor<Atlas>(sortBy: [SortDescriptor(\.title)]))
    #expect(atlases.map(\.title) == ["North", "Straits"])
    #expect(atlases.map { $0.charts.map(\.name) } == [["Kattegatt"], ["Oresund"]])
    let inNorth = FetchDescriptor<Chart>(predicate: #Predicate { $0.atlas?.title == "North" })
    #expect(try context.fetch(inNorth).map(\.name) == ["Kattegatt"])
    #expect(try context.fetchCount(inNorth) == 1)
    #expect(try Data(contentsOf: bundle.folder.file("base.json")) == before)
  }

  @Test func `rows of the base keep their identifiers, and new rows get others`() throws {
    let bundle = try Bundle()
    let (base, _) = try open(bundle.base)
    let before = try Set(
      ModelContext(base).fetchIdentifiers(FetchDescriptor<Chart>())
    )
    try bundle.edit()
    let (_, context) = try bundle.overlay()
    let after = try Set(context.fetchIdentifiers(FetchDescriptor<Chart>()))
    #expect(after.intersection(before).count == 1)
    let new = try #require(after.subtracting(before).first)
    #expect(try #require(new.integerKey) > 1 << 40)
  }

  @Test func `unedited rows have the values of a later version of the base`() throws {
    let bundle = try Bundle()
    try bundle.edit()
    let (_, writer) = try open(bundle.base)
    let charts = try writer.fetch(FetchDescriptor<Chart>(sortBy: [SortDescriptor(\.name)]))
    charts[0].name = "Kattegat, second edition"
    charts[1].name = "Skagerrak, second edition"
    let north = try #require(try writer.fetch(FetchDescriptor<Atlas>()).first)
    north.title = "North, second edition"
    writer.insert(Chart("Jammerbugt", atlas: north))
    try writer.save()
    let (container, context) = try bundle.overlay()
    #expect(try names(in: container) == ["Jammerbugt", "Kattegatt", "Oresund"])
    let first = try #require(
      try context.fetch(FetchDescriptor<Atlas>(sortBy: [SortDescriptor(\.title)])).first
    )
    #expect(first.title == "North, second edition")
    #expect(first.charts.map(\.name).sorted() == ["Jammerbugt", "Kattegatt"])
  }

  @Test func `a reference to a row that a later base lacks is nil`() throws {
    let bundle = try Bundle()
    try bundle.edit()
    let (_, writer) = try open(bundle.base)
    for atlas in try writer.fetch(FetchDescriptor<Atlas>()) { writer.delete(atlas) }
    try writer.save()
    let (_, context) = try bundle.overlay()
    let charts = try context.fetch(FetchDescriptor<Chart>(sortBy: [SortDescriptor(\.name)]))
    #expect(charts.map(\.name) == ["Kattegatt", "Oresund"])
    #expect(charts.map { $0.atlas?.title } == [nil, "Straits"])
  }

  @Test func `an erased overlay is empty, also after it is reopened`() throws {
    let bundle = try Bundle()
    try bundle.edit()
    let (container, context) = try bundle.overlay()
    try container.erase()
    #expect(try names(in: container) == [])
    context.insert(Chart("Oresund"))
    try context.save()
    #expect(try names(in: bundle.overlay().container) == ["Oresund"])
    #expect(try names(in: open(bundle.base).container) == ["Kattegat", "Skagerrak"])
  }

  @Test func `an erasure has the save identifier of its environment`() throws {
    let bundle = try Bundle()
    var configuration = bundle.base.overlaid(by: bundle.edits)
    configuration.schema = Schema([Chart.self, Atlas.self])
    let store = try OverlayStore<JSONFileStore, SQLiteStore>(configuration)
    let made = Mutex(0)
    let environment = StoreEnvironment(makeSaveIdentifier: {
      made.withLock { $0 += 1 }
      return UUID()
    })
    try StoreEnvironment.$current.withValue(environment) { try store.erase() }
    #expect(made.withLock(\.self) == 1)
  }

  @Test func `edits of one base are refused with another base`() throws {
    let bundle = try Bundle()
    try bundle.edit()
    let other = try Bundle()
    #expect(throws: DataStoreError.storeReplaced) {
      try open(other.base.overlaid(by: bundle.edits))
    }
  }

  @Test func `a failed save of edits changes nothing, and can be repeated`() throws {
    let bundle = try Bundle()
    let plan = FaultPlan()
    let (container, context) = try open(bundle.base.overlaid(by: bundle.edits.faulty(plan)))
    plan.fail(.save)
    context.insert(Chart("Oresund"))
    #expect(throws: DataStoreError.notSaved) { try context.save() }
    #expect(try names(in: container) == ["Kattegat", "Skagerrak"])
    plan.fail(.save, .after)
    plan.fail(.outcome, times: 2, with: DataStoreError.outcomeUnknown)
    #expect(throws: DataStoreError.outcomeUnknown) { try context.save() }
    #expect(throws: DataStoreError.outcomeUnknown) { try names(in: container) }
    try context.save()
    #expect(try names(in: container) == ["Kattegat", "Oresund", "Skagerrak"])
    #expect(try names(in: bundle.overlay().container) == ["Kattegat", "Oresund", "Skagerrak"])
  }

  @Test func `a save whose outcome another context found out has its own result`() throws {
    let bundle = try Bundle()
    let plan = FaultPlan()
    let (container, context) = try open(bundle.base.overlaid(by: bundle.edits.faulty(plan)))
    let unknown = DataStoreError(.outcomeUnknown, "the server is gone")
    plan.fail(.save, .after, with: unknown)
    plan.fail(.outcome, with: unknown)
    let chart = Chart("Oresund")
    context.insert(chart)
    let error = #expect(throws: DataStoreError.outcomeUnknown) { try context.save() }
    #expect(error?.message == "the server is gone")
    #expect(try names(in: container) == ["Kattegat", "Oresund", "Skagerrak"])
    try context.save()
    #expect(chart.persistentModelID.entityName == "Chart")
    chart.name = "Sound"
    try context.save()
    #expect(try names(in: bundle.overlay().container) == ["Kattegat", "Skagerrak", "Sound"])
  }

  @Test func `after random edits, an overlay equals a store with the same edits`() throws {
    var generator = SeededGenerator(seed: 11)
    let base = MemoryStoreConfiguration()
    let plain = MemoryStoreConfiguration()
    let (_, filler) = try open(base)
    let (_, copy) = try open(plain)
    for context in [filler, copy] {
      for number in 0..<20 { context.insert(Chart("c\(number)", scale: number % 4)) }
      for number in 0..<4 { context.insert(Atlas("a\(number)")) }
      try context.save()
    }
    let (_, overlay) = try open(base.overlaid(by: MemoryStoreConfiguration()))
    for step in 0..<120 {
      let seed = generator.next()
      for context in [overlay, copy] { try change(context, step, seed) }
      #expect(try picture(overlay) == picture(copy), "step \(step)")
    }
  }

  /// One change of many kinds, the same for the same seed and the same objects.
  private func change(_ context: ModelContext, _ step: Int, _ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let charts = try context.fetch(
      FetchDescriptor<Chart>(sortBy: [SortDescriptor(\.name), SortDescriptor(\.scale)])
    )
    let atlases = try context.fetch(FetchDescriptor<Atlas>(sortBy: [SortDescriptor(\.title)]))
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      context.insert(
        Chart("n\(step)", scale: step % 5, atlas: atlases.randomElement(using: &generator))
      )
    case 1: charts.randomElement(using: &generator)?.scale += 1
    case 2:
      charts.randomElement(using: &generator)?.atlas = atlases.randomElement(using: &generator)
    case 3: charts.randomElement(using: &generator).map { context.delete($0) }
    case 4 where atlases.count > 2 && step % 5 == 0:
      atlases.randomElement(using: &generator).map { context.delete($0) }
    default: context.insert(Atlas("m\(step)"))
    }
    try context.save()
  }

  private func picture(_ context: ModelContext) throws -> [String] {
    let fresh = ModelContext(context.container)
    let charts = try fresh.fetch(
      FetchDescriptor<Chart>(
        predicate: #Predicate { $0.scale > 1 },
        sortBy: [SortDescriptor(\.scale), SortDescriptor(\.name)]
      )
    )
    let atlases = try fresh.fetch(FetchDescriptor<Atlas>(sortBy: [SortDescriptor(\.title)]))
    return charts.map { "\($0.name) \($0.scale) \($0.atlas?.title ?? "-")" }
      + atlases.map { "\($0.title): \($0.charts.map(\.name).sorted())" }
  }
}
