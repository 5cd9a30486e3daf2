import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("The life cycle of an object")
struct LifeCycleTableTests {
  /// Each pair of a store and a state.
  static let states = EveryStore.withTextKeys.flatMap { store in
    LifeCycle.allCases.map { (store, $0) }
  }

  @Test(arguments: states)
  func `reaches each state`(_ store: EveryStore, _ state: LifeCycle) throws {
    let subject = try BookInState(state, on: store)
    #expect(subject.book.lifeCycle == state)
  }

  @Test(arguments: states, LifeCycle.Event.allCases)
  func `follows its table of transitions`(
    _ combination: (EveryStore, LifeCycle),
    _ event: LifeCycle.Event
  ) throws {
    let subject = try BookInState(combination.1, on: combination.0)
    try subject.undergo(event)
    #expect(subject.book.lifeCycle == combination.1.after(event))
    #expect(subject.book.title == "title")
    #expect(subject.book.words == ["a", "b"])
    let isUsable = [.inserted, .registered, .changed].contains(subject.book.lifeCycle)
    #expect((try? subject.book.require()) === (isUsable ? subject.book : nil))
    #expect(subject.book.isDeleted == [.deleted, .vanished].contains(subject.book.lifeCycle))
    #expect(subject.book.isDetached == (subject.book.lifeCycle == .detached))
  }

  @Test(arguments: states, LifeCycle.Event.allCases)
  func `never traps if everything is read, set and saved after an event`(
    _ combination: (EveryStore, LifeCycle),
    _ event: LifeCycle.Event
  ) throws {
    let subject = try BookInState(combination.1, on: combination.0)
    try subject.undergo(event)
    _ = subject.book.everything
    subject.book.setEverything("new")
    let isUsable = [.inserted, .changed].contains(subject.book.lifeCycle)
    #expect(subject.book.title == "new" && subject.book.note == nil)
    #expect(subject.book.author.name == "new" && subject.book.editor == nil)
    #expect(subject.book.topics?.map(\.word) == ["new"])
    if combination.1 == .changed, event == .deletedElsewhere {
      #expect(throws: DataStoreError.conflict) { try subject.context?.save() }
      return
    }
    try? subject.context?.save()
    try subject.book.modelContext?.save()
    guard isUsable else { return }
    // A detached book that is inserted again gets a row of its own.
    let stored = try #require(try ModelContext(subject.container).all(LifeBook.self).last)
    #expect(stored.everything == subject.book.everything)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `restarts with a new identity if a deleted object is inserted`(
    _ store: EveryStore
  ) throws {
    let subject = try BookInState(.vanished, on: store)
    let before = subject.book.persistentModelID
    subject.context?.insert(subject.book)
    subject.book.author = LifeAuthor("again")
    #expect(subject.book.persistentModelID.isTemporary)
    try subject.context?.save()
    #expect(subject.book.persistentModelID != before)
    #expect(try ModelContext(subject.container).all(LifeBook.self).map(\.title) == ["title"])
  }

  @Test func `explains why an object cannot be used`() throws {
    for (state, word) in [
      (LifeCycle.transient, "was not inserted"), (.deleted, "deleted"),
      (.detached, "removed from its context"),
      (.vanished, "no longer stored"),
    ] {
      let subject = try BookInState(state, on: .memory)
      let error = try #require(throws: SwiftDataError.self) { try subject.book.require() }
      #expect(error == .missingModelContext && error.message.contains(word))
    }
  }
}
