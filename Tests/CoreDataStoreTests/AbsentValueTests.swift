import CoreDataStore
import Foundation
import OpenSwiftData
import Testing

@Suite("NULL in a required attribute of a Core Data file")
struct AbsentValueTests {
  /// The hierarchy with NULL in a required number and in a required attribute of a superentity.
  private static func file() throws -> SourceFile {
    let file = try SourceFile.hierarchy()
    try file.run(
      """
      UPDATE ZPAGE SET ZNUMBER = NULL WHERE Z_PK = 3;
      UPDATE ZPERSON SET ZNAME = NULL WHERE Z_PK = 2;
      """
    )
    return file
  }

  @Test(arguments: ["sqlite", "json"])
  func `is nil, and the attribute is optional`(_ scheme: String) async throws {
    let file = try Self.file()
    let address = "coredata:\(file.url.path)"
    let copy = "\(scheme):\(file.folder.file("copy").path)"
    let imported = "\(scheme):\(file.folder.file("imported").path)"
    let copied = await ToolRun.storectl("copy", address, copy)
    #expect(copied.code == 0, "\(copied.errors)")
    let run = await ToolRun.storectl("import", address, imported)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    for name in ["Page.number", "Person.name"] {
      #expect(run.output.contains("\(name): optional, because some objects have no value"))
    }
    for url in [address, copy, imported] {
      let pages = try ToolRun.store(at: url).fetch(StoreQuery(entity: "Page"))
      let numbers: [StoreValue] = [.integer(10), .integer(20), .null, .integer(40)]
      #expect(pages.map { $0["number"] } == numbers, "\(url)")
      #expect(await ToolRun.storectl("verify", url).code == 0, "\(url)")
      #expect(await ToolRun.storectl("diff", address, url).code == 0, "\(url)")
      #expect(await ToolRun.storectl("export", url).code == 0, "\(url)")
      let classes = await ToolRun.storectl("schema", "--swift", url).output
      #expect(classes.contains("var number: Int16?") && classes.contains("var name: String?"))
      // Attributes that have all their values stay required.
      #expect(classes.contains("var title: String\n"), "\(classes)")
    }
  }

  @Test func `the attribute has its new name, and unselected entities are not searched`() throws {
    let file = try Self.file()
    var configuration = CoreDataStoreConfiguration(url: file.url)
    configuration.modelChanges.entities = ["Page"]
    configuration.modelChanges.names = ["Page": "Leaf", "Page.number": "place"]
    let store = try CoreDataStore(configuration)
    #expect(try store.survey().absentAttributes == ["Leaf.place"])
    let leaf = store.schema.storeSchema.entity(named: "Leaf")
    #expect(leaf?.property(named: "place")?.isOptional == true)
  }

  @Test func `a class that requires the value is told the object and the remedy`() throws {
    let file = try Self.file()
    let schema = Schema([Author.self, Critic.self, Book.self, Page.self])
    let store = try CoreDataStore(.init(schema: schema, url: file.url))
    let error = #expect(throws: DataStoreError.self) { try store.fetch(StoreQuery(entity: "Page")) }
    #expect(error == .invalidValue && error?.property == "number")
    #expect(error?.message.contains("make the property optional") == true)
    #expect(try store.fetch(StoreQuery(entity: "Book")).count == 4)
  }
}
