import OpenSwiftData
import StoreTestSupport
import Testing

/// Random programs, which an edit in place and an assignment of the edited list must end alike.
@Suite("An edit in place and an assignment")
struct EditComparisonTests {
  private let fixtures = ContainerFixtures()

  /// Edits a list at random.
  private static func edit(
    _ list: inout [Song],
    with pool: [Song],
    _ random: inout SeededGenerator
  ) {
    func place() -> Int { Int.random(in: 0...list.count, using: &random) }
    func song() -> Song { pool[Int.random(in: 0..<pool.count, using: &random)] }
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1, 2: list.append(song())
    case 3: list.insert(song(), at: place())
    case 4: list.insert(contentsOf: [song(), song(), song()], at: place())
    case 5: if !list.isEmpty { list.removeLast() }
    case 6: if !list.isEmpty { list.removeFirst() }
    case 7: if list.count > 1 { list.swapAt(0, list.count - 1) }
    default: if !list.isEmpty { list[list.count / 2] = song() }
    }
  }

  /// Runs a program, and returns what was seen after each step.
  private func run(_ seed: UInt64, inPlace isInPlace: Bool) throws -> [String] {
    var random = SeededGenerator(seed: seed)
    let container = try fixtures.open(.memory, for: Playlist.self, Song.self)
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let pool = (0..<60).map { Song("\($0)") }
    let (list, other) = (Playlist("list"), Playlist("other"))
    if seed.isMultiple(of: 2) { context.insert(list) }
    list.own = Array(pool[..<30])
    return try (0..<300).map { step in
      switch Int.random(in: 0..<20, using: &random) {
      case 0: pool[step % 60].home = list
      case 1: pool[step % 60].home = nil
      case 2: other.own.append(pool[step % 60])
      case 3: try context.save()
      case 4 where list.modelContext != nil && step > 100: context.rollback()
      default:
        if isInPlace {
          Self.edit(&list.own, with: pool, &random)
        } else {
          var edited = list.own
          Self.edit(&edited, with: pool, &random)
          list.own = edited
        }
      }
      let homes = pool.map { $0.home?.name.prefix(1) ?? "-" }.joined()
      let changed = context.changedModelsArray.count
      return "\(step) \(list.own.map(\.title)) \(homes) \(context.hasChanges) \(changed)"
    }
  }

  @Test(arguments: 0..<12)
  func `end alike`(seed: UInt64) throws {
    let (edited, assigned) = (try run(seed, inPlace: true), try run(seed, inPlace: false))
    let difference = zip(edited, assigned).first { $0 != $1 }
    #expect(difference == nil, "seed \(seed)")
  }
}
