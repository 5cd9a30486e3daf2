import CoreDataFiles
import CoreDataTestSupport
import Foundation

extension SampleModel {
  /// Returns an entity.
  static func entity(
    _ name: String,
    _ attributes: [ManagedModel.Attribute],
    _ relationships: [ManagedModel.Relationship] = [],
    _ change: (inout ManagedModel.Entity) -> Void = { _ in }
  ) -> ManagedModel.Entity {
    var entity = ManagedModel.Entity(name: name)
    entity.attributes = attributes
    entity.relationships = relationships
    change(&entity)
    return entity
  }
}

extension SourceFile {
  /// A hierarchy in which two siblings have properties of one name.
  static var hierarchyModel: ManagedModel {
    let person = SampleModel.entity(
      "Person",
      [SampleModel.attribute("name", .string)],
      [
        SampleModel.relationship("friends", "Person", inverse: "friendOf", isToMany: true),
        SampleModel.relationship("friendOf", "Person", inverse: "friends", isToMany: true),
      ]
    ) { $0.isAbstract = true }
    let author = SampleModel.entity(
      "Author",
      [SampleModel.attribute("title", .string) { $0.isOptional = true }],
      [
        SampleModel.relationship("books", "Book", inverse: "author", isToMany: true) {
          $0.isOrdered = true
        }
      ]
    ) { $0.superentity = "Person" }
    let critic = SampleModel.entity(
      "Critic",
      [SampleModel.attribute("title", .string) { $0.isOptional = true }]
    ) {
      $0.superentity = "Person"
    }
    let book = SampleModel.entity(
      "Book",
      [SampleModel.attribute("title", .string)],
      [
        SampleModel.relationship("author", "Author", inverse: "books") { $0.isOptional = true },
        SampleModel.relationship("owner", "Person") { $0.isOptional = true },
        SampleModel.relationship("pages", "Page", isToMany: true),
      ]
    )
    let page = SampleModel.entity("Page", [SampleModel.attribute("number", .integer16)])
    return ManagedModel(entities: [person, author, critic, book, page])
  }

  /// The same hierarchy, in which the root has a constraint and an index.
  static var constrainedModel: ManagedModel {
    var model = hierarchyModel
    for index in model.entities.indices where model.entities[index].name == "Person" {
      model.entities[index].uniquenessConstraints = [["name"]]
      model.entities[index].indices = [["name"]]
    }
    return model
  }

  /// Book 1, Page 2, Person 3, Author 4, Critic 5.
  static func hierarchy(_ model: ManagedModel = hierarchyModel) throws -> SourceFile {
    try SourceFile(
      model,
      """
      CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR,
        ZTITLE VARCHAR, ZTITLE1 VARCHAR);
      CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHOR INTEGER,
        ZOWNER INTEGER, Z3_OWNER INTEGER, Z_FOK_AUTHOR INTEGER, ZTITLE VARCHAR);
      CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER, Z1PAGES INTEGER);
      CREATE TABLE Z_3FRIENDS (Z_3FRIENDOF INTEGER, Z_3FRIENDS INTEGER, PRIMARY KEY (Z_3FRIENDOF, Z_3FRIENDS));
      INSERT INTO ZPERSON VALUES (1, 4, 1, 'Ada', 'Countess', 'ignored'), (2, 5, 1, 'Ben', 'ignored', 'Sir');
      INSERT INTO ZBOOK VALUES (1, 1, 1, 1, 2, 5, 3072, 'last'), (2, 1, 1, 1, NULL, NULL, 1024, 'first'),
        (3, 1, 1, 1, 1, 4, NULL, 'nowhere'), (4, 1, 1, NULL, NULL, NULL, NULL, 'lost');
      INSERT INTO ZPAGE VALUES (1, 2, 1, 10, 2), (2, 2, 1, 20, 1), (3, 2, 1, 30, 2), (4, 2, 1, 40, NULL);
      INSERT INTO Z_3FRIENDS VALUES (1, 2), (2, 2);
      """
    )
  }

  /// An entity with the kinds of values that SwiftData makes.
  static func things() throws -> SourceFile {
    let thing = SampleModel.entity(
      "Thing",
      [
        SampleModel.attribute("ice", .composite) {
          $0.isOptional = true
          $0.isEnumeration = true
          $0.elements = [SampleModel.attribute("ice", .string)]
        },
        SampleModel.attribute("mood", .composite) {
          $0.isOptional = true
          $0.isEnumeration = true
          $0.cases = ["calm", "busy"]
          $0.elements = [
            SampleModel.attribute("busy", .string), SampleModel.attribute("calm", .string),
          ]
        },
        SampleModel.attribute("place", .composite) {
          $0.isOptional = true
          $0.elements = [
            SampleModel.attribute("id", .integer32) { $0.isOptional = true },
            SampleModel.attribute("tags", .binary) { $0.isOptional = true },
          ]
        },
        SampleModel.attribute("id", .integer64),
        SampleModel.attribute("words", .transformable) { $0.isOptional = true },
      ]
    )
    var archive = ArchiveWriter()
    let words = archive.add(array: [archive.add(.string("a")), archive.add(.string("b"))])
    return try SourceFile(
      ManagedModel(entities: [thing]),
      """
      CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID INTEGER, ZID1 INTEGER,
        ZICE VARCHAR, ZBUSY VARCHAR, ZCALM VARCHAR, ZTAGS BLOB, ZWORDS BLOB);
      INSERT INTO ZTHING VALUES (1, 1, 1, 5, 7, 'cubes', NULL, 'calm',
        CAST('[{"k":1},{"k":2,"l":"m"}]' AS BLOB), \(SourceFile.literal(archive.bytes(root: words))));
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZID) VALUES (2, 1, 1, 6);
      """
    )
  }
}

extension SourceFile {
  /// A hierarchy with a value of the program's own class, which a subentity inherits.
  static func documents() throws -> SourceFile {
    let document = SampleModel.entity(
      "Document",
      [SampleModel.attribute("cover", .transformable)]
    )
    let sketch = SampleModel.entity("Sketch", [SampleModel.attribute("scale", .double)]) {
      $0.superentity = "Document"
    }
    var archive = ArchiveWriter()
    let cover = archive.add(
      className: "Cover",
      [("text", .reference(archive.add(.string("front"))))]
    )
    let bytes = literal(archive.bytes(root: cover))
    return try SourceFile(
      ManagedModel(entities: [document, sketch]),
      """
      CREATE TABLE ZDOCUMENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSCALE FLOAT, ZCOVER BLOB);
      INSERT INTO ZDOCUMENT VALUES (1, 1, 1, NULL, \(bytes)), (2, 2, 1, 0.5, \(bytes));
      """
    )
  }

  /// Two entities with a one-to-one relationship, of which one end lacks a reference.
  static func accounts() throws -> SourceFile {
    let account = SampleModel.entity(
      "Account",
      [],
      [SampleModel.relationship("state", "State", inverse: "account") { $0.isOptional = true }]
    )
    let state = SampleModel.entity(
      "State",
      [],
      [SampleModel.relationship("account", "Account", inverse: "state") { $0.isOptional = true }]
    )
    return try SourceFile(
      ManagedModel(entities: [account, state]),
      """
      CREATE TABLE ZACCOUNT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSTATE INTEGER);
      CREATE TABLE ZSTATE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZACCOUNT INTEGER);
      INSERT INTO ZACCOUNT VALUES (1, 1, 1, 1), (2, 1, 1, 2), (3, 1, 1, NULL);
      INSERT INTO ZSTATE VALUES (1, 2, 1, 1), (2, 2, 1, NULL), (3, 2, 1, NULL);
      """
    )
  }

  /// The name of the external file of ``photographs()``.
  static let externalName = "619F5BBC-799D-44E4-8B9F-49AC950CD416"

  /// An entity with a value in its row and one in a file, which is not there.
  static func photographs() throws -> SourceFile {
    let photo = SampleModel.attribute("photo", .binary) {
      $0.isOptional = true
      $0.allowsExternalStorage = true
    }
    let reference = literal([2] + [UInt8](externalName.utf8) + [0])
    return try SourceFile(
      ManagedModel(entities: [SampleModel.entity("Thing", [photo])]),
      """
      CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPHOTO BLOB);
      INSERT INTO ZTHING VALUES (1, 1, 1, x'010708'), (2, 1, 1, \(reference));
      """
    )
  }

  /// Writes the external file of ``photographs()``.
  func writeExternalFile(_ bytes: Data) throws {
    let folder = ExternalReference.folder(of: url)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try bytes.write(to: folder.appending(path: Self.externalName))
  }
}
