import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("the end of a program")
struct ProgramEndTests {
  @Test(arguments: [EveryStore.sqlite, .json])
  func `on the main actor saves pending changes of its contexts`(kind: EveryStore) async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .exitCode(7)) {
      [url = kind.url(in: folder) as String] in
      try await Self.insert(["one", "two"], url: url, thenExitWith: 7)
    }
    #expect(try Self.texts(in: folder, kind) == ["one", "two"])
  }

  @Test(arguments: [EveryStore.sqlite, .json])
  func `on another thread saves nothing`(kind: EveryStore) async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .exitCode(8)) {
      [url = kind.url(in: folder) as String] in
      // The main actor waits here, so that its next turn does not run first.
      try await Self.insert(["one"], url: url) {
        let thread = Thread { exit(8) }
        thread.start()
        DispatchSemaphore(value: 0).wait()
      }
    }
    #expect(try Self.texts(in: folder, kind) == [])
  }

  @Test func `inside a transaction saves nothing of it`() async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .exitCode(9)) {
      [url = EveryStore.sqlite.url(in: folder) as String] in
      try await Self.insert([], url: url) { context in
        try context.transaction {
          context.insert(DiaryEntry("half"))
          exit(9)
        }
      }
    }
    #expect(try Self.texts(in: folder, .sqlite) == [])
  }

  @MainActor
  private static func insert(_ texts: [String], url: String, thenExitWith code: Int32) throws {
    try insert(texts, url: url) { exit(code) }
  }

  @MainActor
  private static func insert(
    _ texts: [String],
    url: String,
    _ end: (ModelContext) throws -> Void
  ) throws {
    let container = try ModelContainer(
      for: Schema([DiaryEntry.self, DiaryPage.self]),
      store: url
    )
    for text in texts { container.mainContext.insert(DiaryEntry(text)) }
    try end(container.mainContext)
  }

  @MainActor
  private static func insert(
    _ texts: [String],
    url: String,
    _ end: () throws -> Void
  ) throws {
    try insert(texts, url: url) { _ in try end() }
  }

  private static func texts(in folder: TemporaryFolder, _ kind: EveryStore) throws -> [String] {
    try ModelContainer(
      for: Schema([DiaryEntry.self, DiaryPage.self]),
      store: kind.url(in: folder)
    ).savedTexts()
  }
}
