import Testing

/// Swift and Foundation compare and compose a long run of combining marks in quadratic time: with
/// this one, each of these commands took minutes.
@Suite("storectl and strings with many combining marks")
struct ManyMarksTests {
  private static let text = "e" + String(repeating: "\u{301}\u{323}", count: 30_000)
  /// The same string to Swift, with its marks in another order.
  private static let reordered = "e" + String(repeating: "\u{323}\u{301}", count: 30_000)

  @Test(arguments: [("sqlite", "json"), ("json", "sqlite")])
  func `are copied, verified and found in linear time`(from: String, to: String) async throws {
    let library = try Library(from, oddText: Self.text)
    let other = library.other(to)
    let copied = await Run.storectl("copy", library.url, other)
    #expect(copied.code == 0, "\(copied.errors)")
    for url in [library.url, other] {
      let verified = await Run.storectl("verify", url)
      #expect(verified.output == "No problems were found.\n")
      for (condition, count) in [
        ("title=\(Self.text)", 1), ("title=\(Self.reordered)", 1), ("title!=\(Self.reordered)", 2),
        ("title~e", 3), ("author.name=\(Self.text)", 0),
      ] {
        let counted = await Run.storectl("count", url, "Book", "--where", condition)
        #expect(counted.output == "\(count)\n")
      }
    }
    let listed = await Run.storectl("list", other, "Author", "--where", "name=\(Self.reordered)")
    #expect(listed.lines.count == 1)
  }

  /// With a cost for each pair of marks, 8 times as many take 64 times as long.
  @Test(arguments: [("sqlite", "json"), ("json", "sqlite")])
  func `take linear time`(from: String, to: String) async throws {
    func time(_ pairs: Int) async throws -> Duration {
      let text = "e" + String(repeating: "\u{301}\u{323}", count: pairs)
      let library = try Library(from, oddText: text)
      let other = library.other(to)
      let start = ContinuousClock.now
      #expect(await Run.storectl("copy", library.url, other).code == 0)
      #expect(await Run.storectl("verify", other).code == 0)
      let counted = await Run.storectl("count", other, "Book", "--where", "title=\(text)")
      #expect(counted.output == "1\n")
      return ContinuousClock.now - start
    }
    let (few, many) = (try await time(2_000), try await time(16_000))
    #expect(many < few * 30, "\(many) instead of \(few) for an eighth of the marks")
  }
}
