import ModelLayer
import Testing

/// Objects without relationships are not read again if the versions of their rows are unchanged.
///
/// A program must see the same values as if they were read again.
@Suite("Fetching objects again")
struct RefetchTests {
  private let here: ModelContext
  private let there: ModelContext

  init() throws {
    let container = try makeContainer()
    here = ModelContext(container)
    there = ModelContext(container)
    here.insert(Everything())
    try here.save()
  }

  private func mine() throws -> Everything { try #require(try here.all(Everything.self).first) }

  /// Changes the row in another context.
  private func change(_ change: (Everything) -> Void) throws {
    change(try #require(try there.all(Everything.self).first))
    try there.save()
  }

  @Test func `shows what another context saved`() throws {
    let object = try mine()
    try change { $0.text = "theirs" }
    #expect(try mine() === object && object.text == "theirs")
    try change { $0.text = "theirs again" }
    #expect(try mine().text == "theirs again")
  }

  @Test func `shows what another context saved before the context's own save`() throws {
    let object = try mine()
    try change { $0.text = "theirs" }
    object.int = 1
    try here.save()
    #expect(try mine().text == "theirs" && object.int == 1)
    try change { $0.int = 2 }
    #expect(try mine().int == 2 && object.text == "theirs")
  }

  @Test(arguments: [false, true])
  func `shows the stored values after a rollback`(_ savesElsewhere: Bool) throws {
    let object = try mine()
    object.text = "mine"
    if savesElsewhere { try change { $0.text = "theirs" } }
    #expect(try mine().text == "mine")
    here.rollback()
    #expect(try mine().text == (savesElsewhere ? "theirs" : ""))
  }

  @Test(arguments: [true, false])
  func `shows the stored result of a merge policy`(_ isMine: Bool) throws {
    let object = try mine()
    here.mergePolicy = isMine ? .contextWins : .storeWins
    object.int = 1
    try change {
      $0.int = 2
      $0.text = "theirs"
    }
    try here.save()
    let stored = try #require(try ModelContext(here.container).all(Everything.self).first)
    #expect(stored.int == (isMine ? 1 : 2) && stored.text == (isMine ? "" : "theirs"))
    #expect(try mine().int == stored.int && object.text == stored.text)
  }

  @Test func `shows the result of a bulk update`() throws {
    let object = try mine()
    try there.update(model: Everything.self, set: .set(\.text, to: "all"))
    try there.save()
    #expect(try mine() === object && object.text == "all")
  }
}
