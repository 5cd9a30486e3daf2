import OpenSwiftData
import Testing

@Suite("Names of models and properties")
struct NamedModelTests {
  private func check<T: NamedModel>(_ type: T.Type, _ kind: CompatibleKind) throws {
    let store = try CompatibleStore(kind, for: type)
    let (first, second) = (T(), T())
    first.title = "first"
    first.kind = .counted(3)
    first.next = second
    try store.save(first, second)
    let found = try store.all(type)
    #expect(found.map(\.title) == ["first", "t"])
    #expect(found.first?.next === found.last)
    if case .counted(3)? = found.first?.kind {} else { Issue.record("\(type) lost its kind") }
  }

  @Test(arguments: CompatibleKind.allCases)
  func `models can have the names of types in generated code`(
    kind: CompatibleKind
  ) throws {
    for type in Named.all { try check(type, kind) }
  }

  @Test(arguments: CompatibleKind.allCases)
  func `properties can have the names of members that every model has`(kind: CompatibleKind) throws
  {
    let store = try CompatibleStore(kind, for: TakenNames.self, TakenConstants.self)
    let object = TakenNames()
    object.isDeleted = 1000
    try store.save(object, TakenConstants(row: 7, index: 8))
    let found = try #require(try store.all(TakenNames.self).first)
    for (number, (name, path)) in TakenNames.names.enumerated() {
      #expect(found[keyPath: path] == (name == "isDeleted" ? 1000 : number + 1), "\(name)")
    }
    let constants = try #require(try store.all(TakenConstants.self).first)
    #expect(constants.row == 7)
    #expect(constants.index == 8)
    #expect(constants.list == [7, 8])
    #expect(constants.isDeleted)
    #expect(constants.newValue == "new")
  }

  @Test(arguments: CompatibleKind.allCases)
  func `properties can have names that differ only by case`(kind: CompatibleKind) throws {
    let store = try CompatibleStore(kind, for: Cased.self)
    let (first, second) = (Cased("a", "b"), Cased("c", "d"))
    first.next = second
    first.links = [second]
    second.Links = [second]
    try store.save(first, second)
    let found = try store.all(Cased.self)
    #expect(found.map(\.select) == ["a", "c"] && found.map(\.Select) == ["b", "d"])
    #expect(found.map { $0.links.count } == [1, 0] && found.map { $0.Links.count } == [0, 1])
    #expect(found[0].next === found[1] && found[0].NEXT == nil)
    let context = ModelContext(try store.open())
    let predicate = #Predicate<Cased> { $0.Select == "d" && $0.select != "d" }
    #expect(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.select) == ["c"])
    context.insert(Cased("a", "new"))
    try context.save()
    #expect(try store.all(Cased.self).map(\.Select) == ["new", "d"])
  }

  @Test(arguments: CompatibleKind.allCases)
  func `properties can have the names of the parts of a group`(kind: CompatibleKind) throws {
    let store = try CompatibleStore(kind, for: Setting.self)
    try store.save(Setting(key: "a", values: [1, 2]), Setting(key: "b", values: []))
    let context = ModelContext(try store.open())
    let descriptor = FetchDescriptor<Setting>(sortBy: [SortDescriptor(\.key)])
    #expect(try context.fetch(descriptor).map(\.key) == ["a", "b"])
    #expect(try context.fetch(descriptor).map { $0.values.count } == [2, 0])
    let last = try context.fetch(descriptor).last?.key
    #expect(last == "b")
    let groups = try context.fetch(FetchDescriptor<Setting>(), groupedBy: \.key, aggregates: .count)
    #expect(groups.map { $0.key } == ["a", "b"])
  }

  @Test(arguments: CompatibleKind.allCases)
  func `a property named isDeleted does not mark its object as deleted`(
    kind: CompatibleKind
  ) throws {
    let store = try CompatibleStore(kind, for: TakenNames.self)
    try store.save(TakenNames(), TakenNames())
    let context = ModelContext(try store.open())
    let marked = try context.fetch(
      FetchDescriptor<TakenNames>(predicate: #Predicate { $0.isDeleted == 1 })
    )
    #expect(marked.count == 2)
    context.delete(marked[0])
    marked[1].hasChanges = 5
    try context.save()
    let left = try store.all(TakenNames.self)
    #expect(left.map(\.hasChanges) == [5])
    #expect(left.map(\.isDeleted) == [1])
  }
}
