import OpenSwiftData

@Model
final class Shelf {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Volume {
  var title: String
  var pages: Int
  var shelf: Shelf?
  var subjects: [Subject] = []

  init(_ title: String, pages: Int = 100) {
    self.title = title
    self.pages = pages
  }
}

@Model
final class Subject {
  #Unique<Subject>([\.word])
  var word: String
  @Relationship(inverse: \Volume.subjects) var volumes: [Volume] = []

  init(_ word: String) { self.word = word }
}

@Model
final class Author {
  @Attribute(.unique) var name: String
  @Relationship(inverse: nil) var friend: Author?
  @Relationship(inverse: \Author.boss) var reports: [Author] = []
  var boss: Author?
  @Relationship(inverse: \Author.readers) var read: [Author] = []
  var readers: [Author] = []
  @Relationship(inverse: nil) var subjects: [Subject] = []

  init(_ name: String) { self.name = name }
}

@ModelActor
actor Librarian {
  func titles() throws -> [String] {
    try modelContext.fetch(FetchDescriptor<Volume>(sortBy: [SortDescriptor(\.title)])).map(\.title)
  }

  func addsAndRemoves() throws {
    let volume = Volume("added")
    modelContext.insert(volume)
    try modelContext.save()
    modelContext.delete(volume)
    try modelContext.save()
  }

  func leavesUnsaved() { modelContext.insert(Volume("never saved")) }

  func observe(_ census: Census) { census.note(modelContext) }
}
