import Foundation
import OpenSwiftData

/// Who wrote books.
@Model
class Author {
  @Attribute(.unique) var name: String
  var born: Date?
  var books: [Book] = []
  var account: Account?

  init(name: String, born: Date? = nil) {
    self.name = name
    self.born = born
  }
}

/// A book, with a value of every kind.
@Model
class Book {
  #Index<Book>([\.title])

  /// A value of a type of its own.
  struct Size: Codable, Equatable {
    var width: Double
    var height: Double
  }

  var title: String
  var pages: Int
  var price: Decimal?
  var rating: Double?
  var isLent = false
  var key: UUID
  var size: Size?
  var cover: Data?

  @Attribute(.externalStorage)
  var scan: Data?

  @Relationship(inverse: \Author.books)
  var author: Author?

  @Relationship(inverse: \Tag.books)
  var tags: [Tag] = []

  init(title: String, pages: Int, key: UUID) {
    self.title = title
    self.pages = pages
    self.key = key
  }
}

/// A book with a position in a series.
@Model
class Novel: Book {
  var series: String?

  override init(title: String, pages: Int, key: UUID) {
    super.init(title: title, pages: pages, key: key)
  }
}

/// A word for books.
@Model
class Tag {
  @Attribute(.unique) var word: String
  var books: [Book] = []

  init(word: String) {
    self.word = word
  }
}

/// Where an author is paid: one for each.
@Model
class Account {
  var number: String

  @Relationship(inverse: \Author.account)
  var owner: Author?

  init(number: String) {
    self.number = number
  }
}
