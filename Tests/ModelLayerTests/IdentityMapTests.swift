import StoreProtocol
import Testing

@testable import ModelLayer

@Suite("Objects that are loaded together")
struct IdentityMapTests {
  /// A map of objects that were fetched together and whose context has ended.
  private static func map(of models: [Tag]) -> IdentityMap {
    let map = TypedIdentityMap<Tag>()
    for (number, model) in models.enumerated() { map.register(model, for: .integer(Int64(number))) }
    map.noteFetched(models)
    map.holdsObjects = false
    return map
  }

  @Test func `are in few pages after the end of their context`() {
    let tags = (0..<2_500).map { Tag("\($0)") }
    let map = Self.map(of: tags)
    var seen: Set<ObjectIdentifier> = []
    var pages = 0
    for tag in tags where !seen.contains(ObjectIdentifier(tag)) {
      let page = map.batch(around: tag)
      #expect(page.contains { $0 === tag })
      seen.formUnion(page.map(ObjectIdentifier.init))
      pages += 1
    }
    #expect(pages == 3 && seen.count == tags.count)
  }

  @Test func `are only those that came together, if they came after the end`() {
    let map = Self.map(of: (0..<2_000).map { Tag("\($0)") })
    var chain: [Tag] = []
    var visited = 0
    for number in 0..<2_000 {
      let next = Tag("next \(number)")
      map.register(next, for: .integer(Int64(10_000 + number)))
      map.noteFetched([next])
      chain.append(next)
      visited += map.batch(around: next).count
    }
    #expect(visited == chain.count)
  }

  @Test func `are not kept alive by their group after the end`() {
    var tags = (0..<10).map { Tag("\($0)") }
    let map = Self.map(of: tags)
    #expect(map.batch(around: tags[0]).count == 10)
    tags.removeLast(4)
    #expect(map.batch(around: tags[0]).count == 6)
    weak let last = tags.last
    tags.removeLast()
    #expect(last == nil && map.models.count == 5)
  }
}
