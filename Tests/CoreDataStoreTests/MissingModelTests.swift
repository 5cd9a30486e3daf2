import CoreDataFiles
import CoreDataStore
import CoreDataTestSupport
import Foundation
import OpenSwiftData
import Testing

/// A class with a renamed attribute, and an attribute that the file lacks.
private enum OtherNames {
  @Model
  final class BookmarkEntity {
    @Attribute(originalName: "title") var name: String?
    var color: String
    init(color: String) { self.color = color }
  }
}

@Suite("Core Data files without a cached model")
struct MissingModelTests {
  /// Creates a file of the hierarchy without a cached model.
  private func file() throws -> SourceFile {
    let file = try SourceFile.hierarchy()
    try file.run("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
    return file
  }

  @Test func `are read with a compiled model`() async throws {
    let whole = try SourceFile.hierarchy()
    let file = try file()
    let model = file.folder.file("Model.mom")
    try Data(ModelWriter.archive(SourceFile.hierarchyModel)).write(to: model)
    var configuration = CoreDataStoreConfiguration(url: file.url)
    configuration.modelURL = model
    let (read, expected) = (
      try CoreDataStore(configuration), try CoreDataStore(.init(url: whole.url))
    )
    for name in ["Person", "Book", "Page"] {
      #expect(try read.fetch(StoreQuery(entity: name)) == expected.fetch(StoreQuery(entity: name)))
    }
    let run = await ToolRun.storectl(
      "import",
      "coredata:\(file.url.path)",
      "--into",
      "json:\(file.folder.file("copy").path)",
      "--model",
      model.path
    )
    #expect(run.code == 0 && run.output.contains("from a file of the model"), "\(run.errors)")
  }

  @Test func `use the version of a model source whose columns the store has`() throws {
    let file = try SourceFile.accounts()
    let folder = file.folder.file("M.xcdatamodeld")
    func write(_ text: String, _ path: String) throws {
      let url = folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(text.utf8).write(to: url)
    }
    func version(_ name: String, _ account: String) throws {
      let state = """
        <entity name="State"><relationship name="account" optional="YES" maxCount="1"
          destinationEntity="Account" inverseName="state"/></entity>
        """
      try write(
        "<model><entity name=\"Account\">\(account)</entity>\(state)</model>",
        "\(name).xcdatamodel/contents"
      )
    }
    let relationship = """
      <relationship name="state" optional="YES" maxCount="1" destinationEntity="State"
        inverseName="account"/>
      """
    let attribute = #"<attribute name="title" optional="YES" attributeType="String"/>"#
    try version("M 1", "")
    try version("M 2", relationship)
    try version("M 3", attribute + relationship)
    try write(
      "<plist><dict><key>_XCCurrentVersionName</key><string>M 3.xcdatamodel</string></dict></plist>",
      ".xccurrentversion"
    )
    var configuration = CoreDataStoreConfiguration(url: file.url)
    configuration.modelURL = folder
    let store = try CoreDataStore(configuration)
    let account = store.schema.storeSchema.entity(named: "Account")
    #expect(account?.properties.map(\.name) == ["state"])
    // No version fits: the problem is that of the current one.
    try FileManager.default.removeItem(at: folder.appending(path: "M 2.xcdatamodel"))
    try FileManager.default.removeItem(at: folder.appending(path: "M 1.xcdatamodel"))
    let error = #expect(throws: DataStoreError.self) { try CoreDataStore(configuration) }
    #expect(error?.property == "title" && "\(error?.description ?? "")".contains("model=PATH"))
  }

  @Test func `use the version of a momd whose hashes the store has`() throws {
    let file = try file()
    let folder = file.folder.file("Model.momd")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    var old = SourceFile.hierarchyModel
    old.entities.removeAll { $0.name == "Critic" }
    try Data(ModelWriter.archive(old)).write(to: folder.appending(path: "Old.mom"))
    try Data(ModelWriter.archive(SourceFile.hierarchyModel))
      .write(to: folder.appending(path: "New.mom"))
    var writer = PropertyListWriter()
    func hashes(_ names: [String]) -> Int {
      writer.add(names.map { ($0, writer.add(.data([1, 2, 3]))) })
    }
    let all = ["Author", "Book", "Critic", "Page", "Person"]
    let versions = writer.add([
      ("Old", hashes(all.filter { $0 != "Critic" })), ("New", hashes(all)),
    ])
    let root = writer.add([
      ("NSManagedObjectModel_CurrentVersionName", writer.add(.string("Old"))),
      ("NSManagedObjectModel_VersionHashes", versions),
    ])
    try Data(writer.bytes(root: root)).write(to: folder.appending(path: "VersionInfo.plist"))
    var configuration = CoreDataStoreConfiguration(url: file.url)
    configuration.modelURL = folder
    let store = try CoreDataStore(configuration)
    #expect(store.schema.storeSchema.entities.map(\.name) == all)
  }

  @Test func `are read with the program's classes`() throws {
    let file = try file()
    let schema = Schema([Author.self, Critic.self, Book.self, Page.self])
    let container = try ModelContainer(for: schema, store: "coredata:\(file.url.path)")
    let context = ModelContext(container)
    let authors = try context.fetch(FetchDescriptor<Author>())
    #expect(authors.map(\.name) == ["Ada"] && authors.map(\.title) == ["Countess"])
    #expect(authors.first?.books.map(\.title) == ["first", "last", "nowhere"])
    #expect(authors.first?.friends.map(\.name) == ["Ben"])
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map { $0.pages.map(\.number) } == [[10, 30], [20], [], []])
    #expect(books.map { $0.owner?.name } == [nil, "Ben", nil, "Ada"])
  }

  @Test func `the declarations of a schema belong to the topmost entity that has them`() throws {
    let file = try SourceFile.hierarchy(SourceFile.constrainedModel)
    let store = try CoreDataStore(.init(url: file.url))
    let made = store.modelOfSchema
    for entity in store.model.entities {
      let found = try #require(made.entity(named: entity.name))
      #expect(found.attributes.map(\.name) == entity.attributes.map(\.name))
      #expect(found.relationships.map(\.name) == entity.relationships.map(\.name))
      #expect(found.uniquenessConstraints == entity.uniquenessConstraints)
      #expect(found.indices == entity.indices)
    }
  }

  @Test func `refuse a class with a property that the file lacks`() throws {
    let file = try SourceFile(copying: "ddg-Bookmarks_V1")
    try file.run("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
    let schema = Schema([OtherNames.BookmarkEntity.self])
    let error = #expect(throws: DataStoreError.self) {
      try ModelContainer(for: schema, store: "coredata:\(file.url.path)")
    }
    #expect(error == .schemaMismatch && error?.property == "color")
  }

  @Test func `get guessed names and types that a schema can correct`() async throws {
    let file = try file()
    let address = "coredata:\(file.url.path)"
    let shown = await ToolRun.storectl("schema", "show", address, "--format", "json")
    #expect(shown.code == 0, "\(shown.errors)")
    let guessed = try JSONDecoder().decode(StoreSchema.self, from: Data(shown.output.utf8))
    #expect(guessed.entities.map(\.name) == ["Author", "Book", "Critic", "Page", "Person"])
    #expect(guessed.entity(named: "Author")?.superentity == "Person")
    let person = try #require(guessed.entity(named: "Person"))
    #expect(person.properties.map(\.name) == ["name", "title", "title1", "friendof", "friends"])
    let book = try #require(guessed.entity(named: "Book"))
    #expect(book.property(named: "pages")?.relationship?.destination == "Page")
    #expect(book.property(named: "owner")?.relationship?.destination == "Person")
    #expect(book.property(named: "author")?.attributeType == .int64)
    let dryRun = await ToolRun.storectl("import", address, "--dry-run")
    #expect(dryRun.output.contains("the names of tables and columns, with guessed types"))
    #expect(dryRun.output.contains("names and types of properties are guesses"))
    // A person corrects what cannot be guessed: the integers refer to authors.
    var corrected = guessed.entities.filter { $0.name != "Book" }
    corrected.append(
      StoreEntity(
        name: "Book",
        properties: book.properties.map { property in
          guard property.name == "author" else { return property }
          return StoreProperty(
            name: "author",
            kind: .toOne(StoreRelationship(destination: "Author")),
            isOptional: true
          )
        }
      )
    )
    let schema = file.folder.file("schema.json")
    try JSONEncoder().encode(StoreSchema(entities: corrected)).write(to: schema)
    let target = "sqlite:\(file.folder.file("copy").path)"
    let run = await ToolRun.storectl("import", address, target, "--schema", schema.path)
    #expect(run.code == 0, "\(run.errors)")
    let books = try ToolRun.store(at: target).fetch(StoreQuery(entity: "Book"))
    #expect(
      books.prefix(3).allSatisfy { if case .identifier? = $0["author"] { true } else { false } }
    )
    let difference = await ToolRun.storectl("diff", "\(address)?schema=\(schema.path)", target)
    #expect(difference.code == 0, "\(difference.output)\(difference.errors)")
  }

  @Test(arguments: ["ddg-Bookmarks_V1", "plaso-DataUsage"])
  func `get the names and types of the model by guesses`(_ name: String) throws {
    let original = try SourceFile(copying: name)
    let whole = try CoreDataStore(.init(url: original.url))
    let file = try SourceFile(copying: name)
    try file.run("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
    let guessed = try CoreDataStore(.init(url: file.url))
    for entity in whole.schema.storeSchema.entities {
      let found = try #require(guessed.schema.storeSchema.entity(named: entity.name))
      for property in entity.properties {
        let guess = found.properties.first { $0.name.lowercased() == property.name.lowercased() }
        switch property.kind {
        case .toMany: continue
        case .toOne(let relationship):
          // Without a hint in its name, a reference is a number.
          let isFound = guess?.relationship?.destination == relationship.destination
          #expect(isFound || guess?.attributeType == .int64, "\(entity.name).\(property.name)")
        case .attribute(let type):
          let expected: AttributeType =
            switch type {
            case .bool, .int16, .int32: .int64
            case .float: .double
            // No row has a value from which the type could be guessed.
            case .codable: .data
            default: type
            }
          #expect(guess?.attributeType == expected, "\(entity.name).\(property.name)")
        }
      }
      #expect(
        try guessed.count(StoreQuery(entity: entity.name))
          == whole.count(StoreQuery(entity: entity.name))
      )
    }
  }
}
