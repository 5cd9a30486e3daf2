import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("The initial values of optional attributes")
struct DefaultValueTests {
  @Model class Note {
    var color: String? = "yellow"
    var stars: Int? = 3
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var mark: Int! = 2
    var ratio: (Double)? = 0.5
    var share: (Float?) = 0.25
    var isRead: Swift.Bool? = true
    var due: Date? = Date.distantFuture
    var page: Foundation.URL? = URL(string: "https://example.org")
    @Attribute(originalName: "amount") private(set) var price: Decimal? = 7
    var size: Optional<Int> = 4
    var inferred = Optional(5)
    var list: [Int]? = [1]
    #if !DEBUG
      var condition: Int? = 8
    #else
      var condition: Int? = 9
    #endif
    var none: String?
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var noneMark: Int!
    var null: Int? = nil

    init(stars: Int? = 3) {
      if stars != 3 { self.stars = stars }
    }
  }

  @Model final class Card: Note {
    var back: String? = "blue"
    var side: Int?

    override init(stars: Int?) { super.init(stars: stars) }
  }

  private static func check(_ note: Note, stars: Int?) {
    #expect(note.color == "yellow")
    #expect(note.stars == stars)
    #expect(note.mark == 2)
    #expect(note.ratio == 0.5)
    #expect(note.share == 0.25)
    #expect(note.isRead == true)
    #expect(note.due == .distantFuture)
    #expect(note.page?.host() == "example.org")
    #expect(note.price == 7)
    #expect(note.size == 4)
    #expect(note.inferred == 5)
    #expect(note.list == [1])
    #expect(note.condition == 8 || note.condition == 9)
    #expect(note.none == nil)
    #expect(note.noneMark == nil)
    #expect(note.null == nil)
    guard let card = note as? Card else { return }
    #expect(card.back == "blue")
    #expect(card.side == nil)
  }

  @Test(arguments: EveryStore.allCases)
  func `are those of new objects, and are stored`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(for: Note.self, Card.self, store: store.url(in: folder))
    let context = ModelContext(container)
    let notes = [Note(), Note(stars: nil), Note(stars: 4), Card(stars: 3), Card(stars: nil)]
    let stars = [3, nil, 4, 3, nil]
    for (note, stars) in zip(notes, stars) {
      Self.check(note, stars: stars)
      context.insert(note)
      Self.check(note, stars: stars)
    }
    try context.save()
    let reader = ModelContext(container)
    for (note, stars) in zip(notes, stars) {
      Self.check(try #require(reader.model(for: note.persistentModelID) as? Note), stars: stars)
    }
    let three = FetchDescriptor<Note>(predicate: #Predicate { $0.stars == 3 && $0.mark == 2 })
    #expect(try reader.fetchCount(three) == 2)
    notes[0].color = nil
    try context.save()
    #expect(
      try ModelContext(container).fetch(FetchDescriptor<Note>()).count { $0.color == nil } == 1
    )
  }
}
