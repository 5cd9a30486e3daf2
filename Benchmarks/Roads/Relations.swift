import OpenSwiftData

@Model
class Animal {
  var code: String
  var number: Int

  init(_ number: Int) {
    code = number.code
    self.number = number
  }
}

@Model
final class Dog: Animal, RoadModel {
  static let road = "subclass"
  static var types: [any PersistentModel.Type] { [Animal.self, Dog.self] }

  var trick = "sit"

  override init(_ number: Int) { super.init(number) }

  static func maker() -> (Range<Int>) -> [Dog] { { $0.map { Dog($0) } } }
  static func hasCode(_ code: String) -> Predicate<Dog> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Dog> { .set(\.number, to: number) }
}

@Model
final class Author {
  @Attribute(.unique) var name: String
  var books: [Book] = []
  var volumes: [Volume] = []

  init(_ name: String) { self.name = name }
}

/// One of ten books of an author.
@Model
final class Book: RoadModel {
  static let road = "to-one"
  static var types: [any PersistentModel.Type] { [Author.self, Book.self, Volume.self] }

  var code: String
  var number: Int
  @Relationship(inverse: \Author.books) var author: Author?

  init(_ number: Int, _ author: Author) {
    code = number.code
    self.number = number
    self.author = author
  }

  static func maker() -> (Range<Int>) -> [Book] {
    var author: Author?
    return { numbers in
      numbers.map { number in
        let current = author.flatMap { number.isMultiple(of: 10) ? nil : $0 } ?? Author(number.code)
        author = current
        return Book(number, current)
      }
    }
  }
  static func hasCode(_ code: String) -> Predicate<Book> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Book> { .set(\.number, to: number) }
}

/// A part of a graph in which each object is made again for each reference, and unique values merge
/// them.
@Model
final class Volume: RoadModel {
  static let road = "unique-graph"
  static var types: [any PersistentModel.Type] { Book.types }

  @Attribute(.unique) var code: String
  var number: Int
  @Relationship(inverse: \Author.volumes) var author: Author?

  init(_ number: Int) {
    code = number.code
    self.number = number
    author = Author((number / 10).code)
  }

  static func maker() -> (Range<Int>) -> [Volume] { { $0.map(Volume.init) } }
  static func hasCode(_ code: String) -> Predicate<Volume> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Volume> { .set(\.number, to: number) }
}

@Model
final class Shelf {
  var name = "shelf"
  @Relationship(inverse: \Exhibit.shelf) var exhibits: [Exhibit] = []
  @Relationship(inverse: \Specimen.shelf) var specimens: [Specimen] = []

  init() {}
}

/// An object of a long list that is set at once.
@Model
final class Exhibit: RoadModel {
  static let road = "list-set"
  static var types: [any PersistentModel.Type] { [Shelf.self, Exhibit.self, Specimen.self] }

  var code: String
  var number: Int
  var shelf: Shelf?

  init(_ number: Int) {
    code = number.code
    self.number = number
  }

  static func maker() -> (Range<Int>) -> [Exhibit] {
    { numbers in
      let exhibits = numbers.map(Exhibit.init)
      Shelf().exhibits = exhibits
      return exhibits
    }
  }
  static func hasCode(_ code: String) -> Predicate<Exhibit> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Exhibit> { .set(\.number, to: number) }
}

/// An object that is appended to a long list.
@Model
final class Specimen: RoadModel {
  static let road = "list-appended"
  static var types: [any PersistentModel.Type] { Exhibit.types }

  var code: String
  var number: Int
  var shelf: Shelf?

  init(_ number: Int) {
    code = number.code
    self.number = number
  }

  static func maker() -> (Range<Int>) -> [Specimen] {
    let shelf = Shelf()
    return { numbers in
      numbers.map { number in
        let specimen = Specimen(number)
        shelf.specimens.append(specimen)
        return specimen
      }
    }
  }
  static func hasCode(_ code: String) -> Predicate<Specimen> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Specimen> { .set(\.number, to: number) }
}

@Model
final class Label {
  var name: String
  var photos: [Photo] = []

  init(_ name: String) { self.name = name }
}

/// An object with two of ten labels, which have twenty objects each.
@Model
final class Photo: RoadModel {
  static let road = "many-to-many"
  static var types: [any PersistentModel.Type] { [Label.self, Photo.self] }

  var code: String
  var number: Int
  @Relationship(inverse: \Label.photos) var labels: [Label] = []

  init(_ number: Int, _ labels: [Label]) {
    code = number.code
    self.number = number
    self.labels = labels
  }

  static func maker() -> (Range<Int>) -> [Photo] {
    var labels: [Label] = []
    return { numbers in
      numbers.map { number in
        if number.isMultiple(of: 100) || labels.isEmpty { labels = (0..<10).map { Label($0.code) } }
        return Photo(number, [labels[number % 10], labels[(number + 1) % 10]])
      }
    }
  }
  static func hasCode(_ code: String) -> Predicate<Photo> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Photo> { .set(\.number, to: number) }
}
