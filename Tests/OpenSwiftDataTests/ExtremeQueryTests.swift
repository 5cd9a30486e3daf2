import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Queries at the limits")
struct ExtremeQueryTests {
  private static func context(
    _ store: EveryStore,
    in folder: TemporaryFolder
  ) throws -> ModelContext {
    let context = ModelContext(try ModelContainer(vehicles: store.url(in: folder)))
    for name in ["a", "b", "c"] { context.insert(Vehicle(name)) }
    try context.save()
    return context
  }

  /// A window, and the expected names in their order.
  struct Window: Sendable, CustomTestStringConvertible {
    let limit: Int?
    let offset: Int?
    let names: [String]

    var testDescription: String { "limit \(limit ?? -1), offset \(offset ?? -1)" }
  }

  static let windows = [
    Window(limit: .max, offset: 0, names: ["a", "b", "c", "d"]),
    Window(limit: .max, offset: 1, names: ["b", "c", "d"]),
    Window(limit: .max, offset: .max, names: []),
    Window(limit: 1, offset: .max, names: []),
    Window(limit: nil, offset: .max, names: []),
    Window(limit: .max - 1, offset: 2, names: ["c", "d"]),
    Window(limit: .min, offset: .min, names: []),
    Window(limit: nil, offset: .min, names: ["a", "b", "c", "d"]),
  ]

  @Test(arguments: EveryStore.allCases, windows)
  func `a window can have any integers as limit and offset`(
    store: EveryStore,
    window: Window
  ) throws {
    let folder = try TemporaryFolder()
    let context = try Self.context(store, in: folder)
    var descriptor = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)])
    descriptor.fetchLimit = window.limit
    descriptor.fetchOffset = window.offset
    // First with a new object that is not saved, with a changed one, then with all saved.
    let new = Vehicle("d")
    context.insert(new)
    for step in 0..<3 {
      if step == 1 { try #require(context.fetch(FetchDescriptor<Vehicle>()).first).price = 5 }
      if step == 2 { try context.save() }
      #expect(try context.fetch(descriptor).map(\.name) == window.names, "step \(step)")
      #expect(try context.fetchCount(descriptor) == window.names.count, "step \(step)")
      #expect(try context.fetchIdentifiers(descriptor).count == window.names.count)
      for sort in [descriptor.sortBy, []] {
        var asked = descriptor
        asked.sortBy = sort
        #expect(try !context.explain(asked).description.isEmpty)
      }
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `predicates up to the depth limit are evaluated on a thread with a small stack`(
    store: EveryStore
  ) throws {
    let folder = try TemporaryFolder()
    try SmallStack.run {
      let context = try Self.context(store, in: folder)
      let leaf = #Predicate<Vehicle> { $0.name != "b" && $0.price < 1 }
      for depth in [58, 2_000] {
        let nested = (0..<depth).reduce(leaf) { inner, level in
          level.isMultiple(of: 3) ? !inner : level.isMultiple(of: 2) ? inner && leaf : inner || leaf
        }
        let descriptor = FetchDescriptor(predicate: nested, sortBy: [SortDescriptor(\.name)])
        let isWithin = depth < QueryExpression.maximumDepth
        context.insert(Vehicle("new \(depth)"))
        for isPending in [true, false] {
          if !isPending { try context.save() }
          let found = Result { try context.fetch(descriptor) }
          let count = Result { try context.fetchCount(descriptor) }
          let explained = Result { try context.explain(descriptor).description }
          guard isWithin else {
            #expect(throws: SwiftDataError.unsupportedPredicate) { try found.get() }
            #expect(throws: SwiftDataError.unsupportedPredicate) { try count.get() }
            #expect(throws: SwiftDataError.unsupportedPredicate) { try explained.get() }
            continue
          }
          let expected = try context.fetch(FetchDescriptor<Vehicle>()).filter(nested.evaluate)
          #expect(try found.get().map(\.name) == expected.map(\.name).sorted())
          #expect(try count.get() == expected.count)
          #expect(try !explained.get().isEmpty)
        }
      }
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `an expression that is too deep is a typed error of the store`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    _ = try Self.context(store, in: folder)
    try SmallStack.run {
      let configuration = try StoreScheme.configuration(
        for: store.url(in: folder),
        schema: Schema([Vehicle.self, Lorry.self, Garage.self, Driver.self])
      )
      let store = try Self.open(configuration)
      let leaf = QueryExpression.compare(
        .equal,
        .property(.element(0), "name"),
        .constant(.string("a"))
      )
      for join in [Self.negation, Self.nestedLists] {
        let query = StoreQuery(
          entity: "Vehicle",
          filter: (0..<200).reduce(leaf) { inner, _ in join(inner) }
        )
        #expect(throws: DataStoreError.invalidPredicate) { try store.fetch(query) }
        #expect(throws: DataStoreError.invalidPredicate) { try store.count(query) }
        #expect(throws: DataStoreError.invalidPredicate) { try store.identifiers(query) }
        #expect(throws: DataStoreError.invalidPredicate) { try store.read(query) { _ in } }
      }
    }
  }

  private static let negation: @Sendable (QueryExpression) -> QueryExpression = { .not($0) }
  private static let nestedLists: @Sendable (QueryExpression) -> QueryExpression = {
    .and([.or([$0, .constant(.bool(false))]), .constant(.bool(true))])
  }

  private static func open<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration
  ) throws -> any RecordStore {
    let store = try Configuration.Store(configuration, migrationPlan: nil)
    return try #require(store as? any RecordStore)
  }
}
