import Foundation
import OpenSwiftData

@Model
final class Author: Person {
  var title: String?
  @Relationship(inverse: \Book.author) var books: [Book]

  override init(name: String) {
    self.books = []
    super.init(name: name)
  }
}

@Model
final class Book {
  var title: String
  var author: Author?
  var owner: Person?
  var pages: [Page]

  init(title: String) {
    self.title = title
    self.pages = []
  }
}

@Model
final class Critic: Person {
  var title: String?

  override init(name: String) {
    super.init(name: name)
  }
}

@Model
final class Page {
  var number: Int16

  init(number: Int16) {
    self.number = number
  }
}

@Model
class Person {
  var name: String
  @Relationship(inverse: \Person.friends) var friendOf: [Person]
  var friends: [Person]

  init(name: String) {
    self.name = name
    self.friendOf = []
    self.friends = []
  }
}
