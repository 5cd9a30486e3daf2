import Foundation
import ModelRuntime
import Observation
import StoreProtocol

/// A model with a property of every kind.
class Book: PersistentModel {
  var _$state = _ModelState()
  var title: String = ""
  var pages: Int = 0
  var year: Int?
  var price: Double = 0
  var ratio: Float = 0
  var small: Int8 = 0
  var big: UInt64 = 0
  var cost: Decimal = 0
  var isOut: Bool = false
  var printed: Date = .distantPast
  var data: Data = Data()
  var isbn: UUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var site: URL?
  var genre: Genre?
  var scores: [Int] = []
  var aliases: Set<String> = []
  var counts: [String: Int] = [:]
  var inverted: Inverted = .first
  var subtitle: String?
  var author: Author?
  var related: [Book] = []

  init() {}

  class var schemaMetadata: [Schema.PropertyMetadata] {
    func plain(_ name: String, _ keyPath: AnyKeyPath) -> Schema.PropertyMetadata {
      Schema.PropertyMetadata(name: name, keypath: keyPath, default: nil)
    }
    return [
      plain("title", \Book.title), plain("pages", \Book.pages), plain("year", \Book.year),
      plain("price", \Book.price), plain("ratio", \Book.ratio), plain("small", \Book.small),
      plain("big", \Book.big), plain("cost", \Book.cost), plain("isOut", \Book.isOut),
      plain("printed", \Book.printed), plain("data", \Book.data), plain("isbn", \Book.isbn),
      plain("site", \Book.site), plain("genre", \Book.genre), plain("scores", \Book.scores),
      plain("aliases", \Book.aliases), plain("counts", \Book.counts),
      plain("inverted", \Book.inverted), plain("subtitle", \Book.subtitle),
      plain("author", \Book.author),
      Schema.PropertyMetadata(
        name: "related",
        keypath: \Book.related,
        default: nil,
        metadata: Schema.Relationship(inverse: nil)
      ),
    ]
  }

  class var _$count: Int { 21 }

  required init(_$row row: RowReader) throws {
    title = try row.read(0)
    pages = try row.read(1)
    year = try row.read(2)
    price = try row.read(3)
    ratio = try row.read(4)
    small = try row.read(5)
    big = try row.read(6)
    cost = try row.read(7)
    isOut = try row.read(8)
    printed = try row.read(9)
    data = try row.read(10)
    isbn = try row.read(11)
    site = try row.read(12)
    genre = try (row.read(13) as _Slot<Genre?>).value ?? nil
    scores = try (row.read(14) as _Slot<[Int]>).value ?? []
    aliases = try (row.read(15) as _Slot<Set<String>>).value ?? []
    counts = try (row.read(16) as _Slot<[String: Int]>).value ?? [:]
    inverted = try (row.read(17) as _Slot<Inverted>).value ?? .first
    subtitle = try row.read(18)
    author = try (row.read(19) as _Slot<Author?>).value ?? nil
    related = try (row.read(20) as _Slot<[Book]>).value ?? []
  }

  func _$read(_ index: Int, from row: RowReader) throws {}

  func _$write(_ index: Int, to row: RowWriter) {
    let writers: [() -> Void] = [
      { row.write(0, self.title) }, { row.write(1, self.pages) }, { row.write(2, self.year) },
      { row.write(3, self.price) }, { row.write(4, self.ratio) }, { row.write(5, self.small) },
      { row.write(6, self.big) }, { row.write(7, self.cost) }, { row.write(8, self.isOut) },
      { row.write(9, self.printed) }, { row.write(10, self.data) }, { row.write(11, self.isbn) },
      { row.write(12, self.site) }, { row.write(13, _Slot(self.genre)) },
      { row.write(14, _Slot(self.scores)) }, { row.write(15, _Slot(self.aliases)) },
      { row.write(16, _Slot(self.counts)) }, { row.write(17, _Slot(self.inverted)) },
      { row.write(18, self.subtitle) }, { row.write(19, _Slot(self.author)) },
      { row.write(20, _Slot(self.related)) },
    ]
    if writers.indices.contains(index) { writers[index]() }
  }
}

/// A model that inherits.
final class Comic: Book {
  var artist: String = ""

  override init() { super.init() }

  override class var schemaMetadata: [Schema.PropertyMetadata] {
    [Schema.PropertyMetadata(name: "artist", keypath: \Comic.artist, default: nil)]
  }

  override class var _$count: Int { 22 }

  required init(_$row row: RowReader) throws {
    artist = try row.read(21)
    try super.init(_$row: row)
  }

  override func _$write(_ index: Int, to row: RowWriter) {
    if index == 21 { row.write(21, artist) } else { super._$write(index, to: row) }
  }
}
