import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `Objects that must be new` {
  @Model final class Account {
    @Attribute(.unique) var name: String
    var owner: String

    init(_ name: String, _ owner: String) {
      self.name = name
      self.owner = owner
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `an equal unique value is an error that names the stored object`(kind: EveryStore) throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(for: Account.self, store: kind.url(in: folder))
    let context = ModelContext(container)
    let first = Account("ada", "Ada")
    context.insert(first)
    try context.save()
    context.requiresNewObjects = true
    let second = Account("ada", "Bob")
    context.insert(second)
    do {
      try context.save()
      Issue.record("the save updated the stored object")
    } catch let error as DataStoreError {
      #expect(error == .uniqueConflict)
      #expect(error.identifiers == [first.persistentModelID])
    }
    #expect(try ModelContext(container).fetch(FetchDescriptor<Account>()).map(\.owner) == ["Ada"])
    // The changes are pending as after any error, and can be corrected.
    #expect(context.hasChanges)
    second.name = "bob"
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Account>()) == 2)
    // Another context still updates the stored object.
    let other = ModelContext(container)
    other.insert(Account("bob", "Cid"))
    try other.save()
    let names = try ModelContext(container).fetch(
      FetchDescriptor<Account>(sortBy: [SortDescriptor(\.name)])
    )
    #expect(names.map(\.owner) == ["Ada", "Cid"])
  }
}
