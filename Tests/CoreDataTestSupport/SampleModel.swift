import CoreDataFiles

/// A model with everything that an archive can say.
package enum SampleModel {
  package static let everything: ManagedModel = {
    var person = ManagedModel.Entity(name: "Person")
    person.className = "ZMPerson"
    person.isAbstract = true
    person.originalName = "Human"
    person.uniquenessConstraints = [["number"], ["firstName", "lastName"]]
    person.indices = [["lastName"]]
    person.attributes = [
      attribute("birthday", .date) { $0.isOptional = true },
      attribute("firstName", .string) { $0.defaultValue = .string("") },
      attribute("home", .composite) {
        $0.isOptional = true
        $0.elements = [
          attribute("city", .string) { $0.isOptional = true }, attribute("code", .integer32),
        ]
      },
      attribute("lastName", .string) { $0.originalName = "surname" },
      attribute("number", .integer64) {
        $0.defaultValue = .integer(7)
        $0.preservesValueOnDeletion = true
      },
      attribute("photo", .binary) {
        $0.isOptional = true
        $0.allowsExternalStorage = true
      },
      attribute("scratch", .undefined) { $0.isTransient = true },
      attribute("tags", .transformable) { $0.transformerName = "NSSecureUnarchiveFromData" },
    ]
    person.relationships = [
      relationship("friends", "Person", inverse: "friends", isToMany: true)
    ]
    var author = ManagedModel.Entity(name: "Author")
    author.superentity = "Person"
    author.attributes = [
      attribute("mood", .composite) {
        $0.isEnumeration = true
        $0.cases = ["calm", "busy"]
        $0.elements = [attribute("busy", .string), attribute("calm", .string)]
      }
    ]
    author.relationships = [
      relationship("books", "Book", inverse: "author", isToMany: true) {
        $0.isOrdered = true
        $0.deleteRule = .cascade
      }
    ]
    var book = ManagedModel.Entity(name: "Book")
    book.attributes = [attribute("title", .string)]
    book.relationships = [
      relationship("author", "Author", inverse: "books") { $0.isOptional = true },
      relationship("editor", "Person") {
        $0.isOptional = true
        $0.deleteRule = .deny
      },
    ]
    return ManagedModel(entities: [person, author, book], versionIdentifiers: ["1.2.0"])
  }()

  /// Returns an attribute.
  package static func attribute(
    _ name: String,
    _ type: ManagedModel.AttributeType,
    _ change: (inout ManagedModel.Attribute) -> Void = { _ in }
  ) -> ManagedModel.Attribute {
    var attribute = ManagedModel.Attribute(name: name, type: type)
    change(&attribute)
    return attribute
  }

  /// Returns a relationship.
  package static func relationship(
    _ name: String,
    _ destination: String,
    inverse: String? = nil,
    isToMany: Bool = false,
    _ change: (inout ManagedModel.Relationship) -> Void = { _ in }
  ) -> ManagedModel.Relationship {
    var relationship = ManagedModel.Relationship(name: name, destination: destination)
    relationship.inverse = inverse
    relationship.isToMany = isToMany
    relationship.maximumCount = isToMany ? 0 : 1
    change(&relationship)
    return relationship
  }
}
