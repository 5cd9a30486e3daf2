import Foundation
import OpenSwiftData
import StoreConformance
import StoreTestSupport
import Testing

@Suite struct `A store with SwiftData's protocol alone` {
  struct Fixture: ModelStoreFixture {
    var roundsDates = false

    var capabilities: StoreCapabilities { StoreCapabilities(durability: .relaxed) }

    func makeLocation() throws -> SketchStore.Configuration {
      let folder = FileManager.default.temporaryDirectory
      let name = "sketch-\(UUID().uuidString).json"
      return SketchStore.Configuration(
        name: name,
        fileURL: folder.appending(path: name),
        roundsDates: roundsDates
      )
    }

    func destroy(_ location: SketchStore.Configuration) throws {
      try FileManager.default.removeItem(at: location.fileURL)
    }
  }

  @Test(arguments: try ConformanceRun(Fixture()).rules)
  func keeps(_ rule: Rule) throws { try ConformanceRun(Fixture()).check(rule) }

  @Test func `runs the rules of models, and skips the others with a reason`() throws {
    let run = ConformanceRun(Fixture())
    let rules = try run.rules
    #expect(rules.count >= 14)
    #expect(rules.allSatisfy { $0.id.hasPrefix("MODEL-") })
    let report = try run.report { $0.id == "MODEL-001" }
    let skipped = report.results.first { $0.rule.id == "LIFE-001" }
    #expect(skipped?.reason?.contains("models only") == true)
    #expect(report.badges[0] == "Core: passed, 1 rules")
  }

  @Test func `fails if it rounds dates`() throws {
    let run = ConformanceRun(Fixture(roundsDates: true))
    let violation = try #require(throws: RuleViolation.self) { try run.check("MODEL-002") }
    #expect(violation.subject == "the date")
  }
}

@Suite struct `Stores are tested by URL` {
  private func run(_ text: String) throws -> ConformanceRun {
    try ConformanceRun(storesLike: text) { try StoreScheme.configuration(for: $0) }
  }

  @Test(arguments: ["memory:", "sqlite::memory:", "json:PATH", "sqlite:PATH?durability=none"])
  func `of each scheme`(_ text: String) throws {
    let folder = try TemporaryFolder()
    let url = text.replacing(
      "PATH",
      with: folder.file("a b?.store").path.replacing("?", with: "%3F")
    )
    let run = try run(url)
    for id in ["LIFE-001", "LIFE-002", "ATOM-003", "MODEL-001"] { try run.check(id) }
    if text.contains("PATH") { try run.check("LIFE-009") }
    #expect(try folder.names() == [])
  }

  @Test func `and an existing file is refused and unchanged`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("mine.json")
    try Data("mine".utf8).write(to: file)
    let error = try #require(throws: DataStoreError.self) { try run("json:\(file.path)") }
    #expect(error == .invalidConfiguration && error.message.contains("the path exists"))
    #expect(try Data(contentsOf: file) == Data("mine".utf8))
    #expect(throws: DataStoreError.self) { try run("nothing:at all") }
  }
}
