import Foundation
import ModelRuntime
import QueryEvaluation
import StoreProtocol
import Testing
import StoreTestSupport

/// Objects and the rows that store them, so that both can be asked the same.
final class Library {
  let schema = Schema([Author.self, Book.self, Comic.self])
  let authors: [Author]
  let books: [Book]
  let rows: [SnapshotRow]
  private let rowByKey: [PersistentIdentifier.Key: SnapshotRow]

  init(seed: UInt64 = 1, bookCount: Int = 60) throws {
    var random = SeededGenerator(seed: seed)
    authors = Self.makeAuthors(&random)
    var books: [Book] = []
    for index in 0..<bookCount { books.append(Self.makeBook(index, authors, books, &random)) }
    self.books = books
    let schema = self.schema.storeSchema
    let models: [any PersistentModel] = authors + books
    rows = try models.map { model in
      let entity = try #require(schema.entity(named: String(describing: type(of: model))))
      return SnapshotRow(try SnapshotWriter.record(of: model, entity), entity)
    }
    rowByKey = Dictionary(uniqueKeysWithValues: rows.map { ($0.identifier.key, $0) })
  }

  var evaluator: QueryEvaluator<SnapshotRow> {
    let rows = rowByKey
    return QueryEvaluator(
      schema: schema.storeSchema,
      row: { rows[$0.key] },
      members: { row, index in
        guard case .identifiers(let list) = row.value(at: index) else { return [] }
        return list
      }
    )
  }

  /// The keys of the rows that a descriptor finds.
  func evaluate<T>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] {
    let query = try StoreQuery(descriptor, schema: schema)
    return try evaluator.evaluate(query, over: rows).map(\.identifier)
  }

  /// The keys of the books that satisfy a predicate, as rows.
  func rows(matching predicate: Predicate<Book>) throws -> [PersistentIdentifier] {
    try evaluate(FetchDescriptor(predicate: predicate))
  }

  /// The keys of the books that satisfy a predicate, as Foundation evaluates it over objects.
  func objects(matching predicate: Predicate<Book>) throws -> [PersistentIdentifier] {
    try books.filter { try predicate.evaluate($0) }.map(\.persistentModelID).sorted()
  }

  private static func makeAuthors(_ random: inout SeededGenerator) -> [Author] {
    var made: [Author] = []
    for index in 0..<6 {
      let address = Address(
        city: random.pick(["Rome", "Paris", "Oslo"]),
        zip: random.pick([1, 2, 3]),
        street: random.pick([nil, "Main", "Side"]),
        kind: random.pick([.novel, .essay]),
        place: Address.Place(latitude: random.pick([1.5, 2.5]), name: random.pick([nil, "x"]))
      )
      let author = Author(
        name: random.pick(HardValues.texts),
        born: random.pick([nil] + HardValues.dates),
        rank: random.pick(Rank.allCases),
        address: address,
        tags: (0..<index % 4).map { _ in random.pick(HardValues.texts) },
        mentor: random.pick([nil] + made)
      )
      made.append(author)
    }
    return made
  }

  private static func makeBook(
    _ index: Int,
    _ authors: [Author],
    _ books: [Book],
    _ random: inout SeededGenerator
  ) -> Book {
    let book: Book
    if index.isMultiple(of: 5) {
      let comic = Comic()
      comic.artist = random.pick(["Moe", "Uderzo"])
      book = comic
    } else {
      book = Book()
    }
    fillNumbers(of: book, &random)
    book.title = random.pick(HardValues.texts)
    book.subtitle = random.pick([nil] + HardValues.texts)
    book.isOut = random.pick([true, false])
    book.printed = random.pick(HardValues.dates)
    book.data = random.pick(HardValues.bytes)
    book.isbn = UUID(uuid: (random.pick([0, 1, 200]), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))
    book.site = random.pick([nil, URL(string: "https://a.b/c?d=e"), URL(string: "file:///x")])
    book.genre = random.pick([nil, .novel, .essay, .poem])
    book.aliases = Set((0..<index % 3).map { _ in random.pick(HardValues.texts) })
    book.counts = random.pick([[:], ["a": 1], ["a": 2, "\u{E9}": 3]])
    book.inverted = random.pick([.first, .second])
    book.author = random.pick([nil] + authors)
    book.author?.books.append(book)
    book.related = Array(books.shuffled(using: &random).prefix(index % 4))
    return book
  }

  private static func fillNumbers(of book: Book, _ random: inout SeededGenerator) {
    book.pages = random.pick(HardValues.integers)
    book.year = random.pick([nil] + HardValues.integers)
    book.price = random.pick(HardValues.doubles)
    book.ratio = random.pick([0, -0.0, 0.1, .nan, .infinity, 3])
    book.small = random.pick([0, 1, -1, .min, .max])
    book.big = random.pick(HardValues.unsigned)
    book.cost = random.pick(HardValues.decimals)
    book.scores = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      random.pick([1, 2, 3, 50])
    }
  }
}
