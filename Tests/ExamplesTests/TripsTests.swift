import Foundation
import Testing

@Suite("trips")
struct TripsTests {
  static let kinds = ["sqlite", "json"]

  /// Runs the program with its store in a folder and a fixed date.
  struct Planner: ~Copyable {
    let folder: TemporaryFolder
    let kind: String

    init(_ kind: String) throws {
      folder = try TemporaryFolder()
      self.kind = kind
    }

    func run(_ words: [String]) throws -> ExampleProcess.Result {
      let common = ["--store", folder.store(kind, "trips"), "--today", "2026-12-01"]
      return try ExampleProcess.trips.run(common + words)
    }

    func addChristmas() throws {
      let words = ["add", "Christmas", "--to", "Oslo", "--from", "2026-12-23"]
      let result = try run(words + ["--until", "2026-12-28", "--reason", "family"])
      try #require(result.code == 0, "\(result.errors)")
    }
  }

  @Test(arguments: kinds)
  func `list shows an added trip`(kind: String) throws {
    let planner = try Planner(kind)
    try planner.addChristmas()
    #expect(
      try planner.run(["list"]).output == """
        Name       Where  From        Nights  Kind      Plans  When
        ---------  -----  ----------  ------  --------  -----  ----------
        Christmas  Oslo   2026-12-23       5  personal      0  in 22 days

        """
    )
  }

  @Test(arguments: kinds)
  func `show prints the plans and confirmations of a trip`(kind: String) throws {
    let planner = try Planner(kind)
    try planner.addChristmas()
    let steps = [
      ["stay", "Christmas", "Bristol", "--address", "Kristian IVs gate 7"],
      ["plan", "Christmas", "Ski jump", "--details", "Bring gloves"],
      ["plan", "christ", "Opera", "--maybe"],
      ["plan", "Christmas", "Munch"],
      ["confirm", "Christmas"],
      ["confirm", "Christmas", "munch"],
    ]
    for step in steps {
      let result = try planner.run(step)
      #expect(result.code == 0, "\(result.errors)")
    }
    #expect(
      try planner.run(["show", "Christmas"]).output == """
        Christmas
        Oslo, 2026-12-23 to 2026-12-28, 5 nights, in 22 days
        Kind: personal, family
        Stay: Bristol, Kristian IVs gate 7 (confirmed)
        Planned:
          [x] Ski jump: Bring gloves
          [ ] Opera
          [x] Munch (reserved)

        """
    )
  }

  @Test(arguments: kinds)
  func `list filters by the kind of trip`(kind: String) throws {
    let planner = try Planner(kind)
    try planner.addChristmas()
    let dates = ["--from", "2026-12-02", "--until", "2026-12-03"]
    _ = try planner.run(["add", "Fair", "--to", "Bonn", "--per-diem", "28.5"] + dates)
    _ = try planner.run(["add", "Walk", "--to", "Eifel"] + dates)
    #expect(try Self.names(planner.run(["list", "--kind", "personal"])) == ["Christmas"])
    #expect(try Self.names(planner.run(["list", "--kind", "business"])) == ["Fair"])
    #expect(try Self.names(planner.run(["list"])) == ["Fair", "Walk", "Christmas"])
    #expect(try planner.run(["show", "Fair"]).output.contains("business, 28.50 a day"))
  }

  @Test(arguments: kinds)
  func `list shows past trips only with --all`(kind: String) throws {
    let planner = try Planner(kind)
    let dates = ["--from", "2026-06-01", "--until", "2026-06-02"]
    _ = try planner.run(["add", "Picnic", "--to", "Park"] + dates)
    #expect(try planner.run(["list"]).output == "No trips. Add one with 'trips add'.\n")
    #expect(try Self.names(planner.run(["list", "--all"])) == ["Picnic"])
  }

  @Test(
    arguments: kinds,
    ["chRISTmas", "oslo", "brist", "gloves?", "ski", "JUMP"]
  )
  func `search finds a trip by its name, destination, stay and plans`(
    kind: String,
    text: String
  ) throws {
    let planner = try Planner(kind)
    try planner.addChristmas()
    _ = try planner.run(["stay", "Christmas", "Bristol"])
    _ = try planner.run(["plan", "Christmas", "Ski jump"])
    let result = try planner.run(["search", text])
    if text == "gloves?" {
      #expect(result.code == 1)
      #expect(result.errors == "trips: nothing matches 'gloves?'\n")
    } else {
      #expect(try Self.names(result) == ["Christmas"])
    }
  }

  @Test(arguments: kinds)
  func `deleting a trip deletes its list and its stay`(kind: String) throws {
    let planner = try Planner(kind)
    try planner.addChristmas()
    _ = try planner.run(["plan", "Christmas", "Ski jump"])
    #expect(try planner.run(["delete", "Christmas"]).output == "Deleted 'Christmas'.\n")
    #expect(try planner.run(["show", "Christmas"]).code == 1)
    try planner.addChristmas()
    #expect(try planner.run(["show", "Christmas"]).output.contains("Nothing planned yet."))
  }

  @Test(arguments: kinds)
  func `delete removes one item from a list`(kind: String) throws {
    let planner = try Planner(kind)
    try planner.addChristmas()
    _ = try planner.run(["plan", "Christmas", "Ski jump"])
    _ = try planner.run(["plan", "Christmas", "Opera"])
    #expect(try planner.run(["delete", "Christmas", "ski"]).output == "Deleted 'Ski jump'.\n")
    let shown = try planner.run(["show", "Christmas"]).output
    #expect(shown.contains("Opera"))
    #expect(!shown.contains("Ski jump"))
  }

  @Test(arguments: kinds)
  func `add refuses a trip that exists`(kind: String) throws {
    let planner = try Planner(kind)
    try planner.addChristmas()
    let words = ["add", "Christmas", "--to", "Rome", "--from", "2026-12-23"]
    let result = try planner.run(words + ["--until", "2026-12-28"])
    #expect(result.code == 1)
    #expect(result.errors.contains("already"))
    #expect(try planner.run(["show", "Christmas"]).output.contains("Oslo"))
  }

  @Test func `show lists the trips that an ambiguous name matches`() throws {
    let planner = try Planner("sqlite")
    let dates = ["--from", "2026-12-02", "--until", "2026-12-03"]
    _ = try planner.run(["add", "Walk North", "--to", "A"] + dates)
    _ = try planner.run(["add", "Walk South", "--to", "B"] + dates)
    let result = try planner.run(["show", "walk"])
    #expect(result.code == 1)
    #expect(result.errors.contains("Walk North"))
    #expect(result.errors.contains("Walk South"))
  }

  @Test(
    arguments: [
      (["--from", "2026-02-30", "--until", "2026-03-01"], "a date such as"),
      (["--from", "2026-3-1", "--until", "2026-03-01"], "a date such as"),
      (["--from", "2026-03-02", "--until", "2026-03-01"], "before it begins"),
      (["--from", "2026-03-02"], "--until"),
    ]
  )
  func `invalid dates are a usage error`(words: [String], advice: String) throws {
    let planner = try Planner("sqlite")
    let result = try planner.run(["add", "X", "--to", "Y"] + words)
    #expect(result.code == 64)
    #expect(result.errors.contains(advice))
  }

  private static func names(_ result: ExampleProcess.Result) throws -> [String] {
    try #require(result.code == 0, "\(result.errors)")
    return result.lines.dropFirst(2).compactMap { $0.split(separator: " ").first.map(String.init) }
  }
}
