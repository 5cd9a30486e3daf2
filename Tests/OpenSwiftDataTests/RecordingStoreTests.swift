import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `RecordingStore tests` {
  @Model final class Note {
    var text: String = ""

    init(text: String) { self.text = text }
  }

  @Test func `the saves and queries of a context are recorded`() throws {
    let script = RecordingScript(
      capabilities: StoreCapabilities(filtering: .native, sorting: .native)
    )
    let container = try ModelContainer(
      for: Schema(Note.self),
      configurations: RecordingStoreConfiguration(script: script)
    )
    let context = ModelContext(container)
    context.insert(Note(text: "a"))
    try context.save()
    #expect(script.calls.count == 1)
    guard case .apply(let changes)? = script.calls.first else {
      Issue.record("a save was expected, not \(script.calls)")
      return
    }
    #expect(changes.inserted.map { $0["text"] } == [.string("a")])
    #expect(changes.updated.isEmpty && changes.deleted.isEmpty)
    script.forgetCalls()
    _ = try context.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.text == "b" }))
    let calls = script.calls
    #expect(calls.count == 1)
    guard case .count(let query) = calls.first else {
      Issue.record("a count was expected, not \(calls)")
      return
    }
    #expect(
      query.filter == .compare(.equal, .property(.element(0), "text"), .constant(.string("b")))
    )
  }

  @Test func `an error of the script is thrown to the program once`() throws {
    let script = RecordingScript()
    let container = try ModelContainer(
      for: Schema(Note.self),
      configurations: RecordingStoreConfiguration(script: script)
    )
    let context = ModelContext(container)
    context.insert(Note(text: "a"))
    script.fail(with: DataStoreError(.storeBusy, "a test says so"))
    #expect(throws: DataStoreError.storeBusy) { try context.save() }
    #expect(context.hasChanges)
    try context.save()
    #expect(!context.hasChanges)
  }
}
