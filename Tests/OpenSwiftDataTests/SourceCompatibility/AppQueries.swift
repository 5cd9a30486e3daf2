import Foundation
import SwiftData

@Model final class Book {
  var title: String
  var year: Int
  var price: Double
  var note: String?
  var added: Date
  @Relationship(inverse: \Writer.books) var writer: Writer?

  init(_ title: String, _ year: Int, _ price: Double, note: String? = nil) {
    self.title = title
    self.year = year
    self.price = price
    self.note = note
    added = Date(timeIntervalSince1970: Double(year))
  }

  /// Four books of two writers.
  static func shelf() -> [any PersistentModel] {
    let (ann, bob) = (Writer("Ann"), Writer("Bob"))
    let books = [
      Book("d", 1990, 10), Book("b", 2000, 20, note: "old"), Book("c", 2010, 30),
      Book("b", 2020, 40),
    ]
    ann.books = [books[0], books[1]]
    bob.books = [books[2], books[3]]
    return [ann, bob]
  }
}

@Model final class Writer {
  var name: String
  var books: [Book] = []

  init(_ name: String) { self.name = name }
}

/// What the view of a list asks for, as views keep it.
struct BookQuery: Codable, Sendable {
  var years = 1995...2015
  var open = 2000...
  var prices = 15.0..<35
  var interval: DateInterval? = DateInterval(start: Date(timeIntervalSince1970: 0), duration: 10)
  var words = ["b", "c"]
  var limit: Limit? = Limit(year: 2005)
  var search = Search()

  var page: Page? = Page(limit: Limit(year: 2005))

  struct Limit: Codable { var year: Int }
  struct Page: Codable { var limit: Limit? }
  struct Search: Codable { var text = "b"; var missing: String? }
}
