import StoreProtocol
import StoreTestSupport
import Synchronization
import Testing

@testable import ModelLayer

@Suite("The feed of saves")
struct SaveFeedTests {
  @Test func `a context that never reads again keeps one entry, and forgets the rows of many`() {
    let feed = SaveFeed([], StoreSchema(entities: [])) { _ in }
    let (late, second) = (feed.join(), feed.join())
    var (active, saving) = (feed.join(), feed.join())
    let scope = PersistentIdentifier.Scope(storeIdentifier: "store", entityName: "Volume")
    for number in 0..<30 {
      let rows = (0..<1_000).map {
        PersistentIdentifier(scope: scope, key: .integer(Int64(number * 1_000 + $0)))
      }
      saving = feed.append(deleted: rows, at: saving) ?? saving
      #expect(feed.unread(since: saving) == nil)
      let unread = feed.read(from: &active)
      #expect(unread?.deleted == rows && unread?.hasErased == false)
      #expect(feed.keptCounts.entries == 1 && feed.keptCounts.rows <= 10_000)
    }
    let unread = feed.unread(since: late)
    #expect(unread?.hasErased == true && unread?.deleted.isEmpty == true)
    feed.leave(late)
    #expect(feed.keptCounts.entries == 1)
    feed.leave(second)
    #expect(feed.keptCounts == (entries: 0, rows: 0) && feed.readerCount == 2)
  }

  private final class CountedRows: RowProducer {
    private let reads = Atomic(0)

    var count: Int { reads.load(ordering: .relaxed) }

    func write(_ position: Int, to writer: RowWriter) {
      reads.add(1, ordering: .relaxed)
      writer.write("volume \(position)", at: 0)
    }
  }

  /// An import of many rows costs observers nothing row by row.
  @Test(arguments: [10, 6_000])
  func `new rows that are too many to be listed for observers are not read for them`(
    count: Int
  ) throws {
    let entity = StoreEntity(
      name: "Volume",
      properties: [StoreProperty(name: "title", kind: .attribute(.string), isOptional: true)]
    )
    let rows = CountedRows()
    let identifiers = RowIdentifiers(
      (1...Int64(count)).map { $0 },
      areTemporary: true,
      in: .init(storeIdentifier: nil, entityName: "Volume")
    )
    var changes = StoreChanges()
    changes.insertions = [RowRun(identifiers, of: entity, in: nil, from: rows)]
    var result = StoreChangesResult(version: 1)
    result.firstKeys = [101]
    let schema = StoreSchema(entities: [entity])
    for required in [[], [RequiredValues.PropertyKey(root: "Volume", property: "title")]] {
      let saved = SavedChanges(
        changes,
        result,
        store: "store",
        schema: schema,
        required: Set(required)
      ) { _ in [] }
      let found = try #require(saved.byRoot["Volume"])
      #expect(found.entitiesWithMembershipChanges == ["Volume"])
      #expect(found.hasOthers == (count > 5_000))
      // Only values that an observer requires are read.
      #expect(rows.count == (found.hasOthers || required.isEmpty ? 0 : count))
      let keys = found.inserted.compactMap(\.integerKey).sorted()
      #expect(keys == (found.hasOthers ? [] : (101..<101 + Int64(count)).map { $0 }))
      let values = found.values(of: "title", schema) { $0 != .string("volume 1") }
      let areKnown = !found.hasOthers && !required.isEmpty
      #expect(values?.count == (areKnown ? count - 1 : nil))
    }
  }

  @Test func `each context reads each save of others once, whatever the order`() throws {
    let feed = SaveFeed([], StoreSchema(entities: [])) { _ in }
    let scope = PersistentIdentifier.Scope(storeIdentifier: "store", entityName: "Volume")
    var random = SeededGenerator(seed: 59)
    var positions = (0..<5).map { _ in feed.join() }
    var expected: [Set<Int64>] = Array(repeating: [], count: positions.count)
    for number in 0..<2_000 {
      let index = Int.random(in: positions.indices, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<4:
        let row = PersistentIdentifier(scope: scope, key: .integer(Int64(number)))
        positions[index] = feed.append(deleted: [row], at: positions[index]) ?? positions[index]
        for other in expected.indices where other != index || !expected[index].isEmpty {
          expected[other].insert(Int64(number))
        }
      case 4..<7:
        let unread = feed.read(from: &positions[index])
        #expect((unread == nil) == expected[index].isEmpty)
        #expect(Set((unread?.deleted ?? []).compactMap(\.integerKey)) == expected[index])
        expected[index] = []
      default:
        feed.leave(positions[index])
        positions[index] = feed.join()
        expected[index] = []
      }
      #expect(feed.keptCounts.entries <= positions.count && feed.readerCount == positions.count)
    }
  }
}
