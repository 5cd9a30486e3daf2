import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `A small program` {
  // In a process of its own: a registered scheme counts for the whole program.
  @Test func `opens one kind of store by URL`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let url = "sqlite:\(folder.file("notes.db").path)?durability=relaxed"
      let context = ModelContext(try openNotes(url))
      context.insert(Note("Pack the tent."))
      try context.save()
      let notes = try ModelContext(try openNotes(url)).fetch(FetchDescriptor<Note>())
      precondition(notes.map(\.text) == ["Pack the tent."], "The note must be stored.")
      do {
        _ = try openNotes("sqlite:notes.db?history=off")
        preconditionFailure("The scheme must be that of the program.")
      } catch let error as DataStoreError {
        precondition(error.message.contains("its options: durability"), "Options must be listed.")
      }
    }
  }
}
