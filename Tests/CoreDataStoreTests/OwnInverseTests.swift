import CoreDataFiles
import CoreDataStore
import CoreDataTestSupport
import Foundation
import OpenSwiftData
import Testing

/// Tests of relationships that are their own inverse, as between the persons of a Photos library.
@Suite("Relationships of Core Data that are their own inverse")
struct OwnInverseTests {
  /// Members with a circle and a twin; deletions have left half of two pairs behind.
  private static func members(hasModel: Bool = true) throws -> SourceFile {
    let member = SampleModel.entity(
      "Member",
      [SampleModel.attribute("name", .string)],
      [
        SampleModel.relationship("circle", "Member", inverse: "circle", isToMany: true),
        SampleModel.relationship("twin", "Member", inverse: "twin") { $0.isOptional = true },
      ]
    )
    return try SourceFile(
      ManagedModel(entities: [member]),
      cache: hasModel,
      """
      CREATE TABLE ZMEMBER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTWIN INTEGER,
        ZNAME VARCHAR);
      CREATE TABLE Z_1CIRCLE (Z_1CIRCLE INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1CIRCLE, REFLEXIVE));
      INSERT INTO ZMEMBER VALUES (1, 1, 1, 2, 'Ada'), (2, 1, 1, 1, 'Ben'), (3, 1, 1, NULL, 'Cleo');
      INSERT INTO Z_1CIRCLE VALUES (1, 2), (2, 1), (2, 3), (3, 2), (9, 1), (3, 9);
      """
    )
  }

  @Test func `each object has its pairs, without those of deleted objects`() throws {
    let file = try Self.members()
    let store = try CoreDataStore(.init(url: file.url))
    let members = try store.fetch(StoreQuery(entity: "Member"))
    let ids = members.map(\.persistentIdentifier)
    let expected = [[ids[1]], [ids[0], ids[2]], [ids[1]]]
    #expect(members.map { $0["circle"] } == expected.map { .identifiers($0) })
    #expect(members.map { $0["twin"] } == [.identifier(ids[1]), .identifier(ids[0]), .null])
    let lists = try store.members(of: "circle", in: "Member", owners: ids)
    #expect(ids.map { lists[$0] } == expected)
  }

  @Test(arguments: ["sqlite", "json"])
  func `copies have the same objects and no problems`(_ scheme: String) async throws {
    let file = try Self.members()
    let address = "coredata:\(file.url.path)"
    let copy = "\(scheme):\(file.folder.file("copy").path)"
    let imported = "\(scheme):\(file.folder.file("imported").path)"
    let run = await ToolRun.storectl("import", address, imported)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("Member.circle: 2 pairs with deleted objects"), "\(run.output)")
    #expect(run.output.contains("Member.circle: without an inverse"), "\(run.output)")
    #expect(await ToolRun.storectl("copy", address, copy).code == 0)
    for store in [address, copy, imported] {
      let verified = await ToolRun.storectl("verify", store)
      #expect(verified.code == 0, "\(store): \(verified.output)\(verified.errors)")
      #expect(await ToolRun.storectl("diff", address, store).code == 0, "\(store)")
      let exported = await ToolRun.storectl("export", "--no-schema", store)
      #expect(exported.output.split(separator: "\n").count == 3, "\(exported.errors)")
      let written = await ToolRun.storectl("schema", "--swift", store)
      #expect(try written.output == Self.writtenClasses(), "\(store)")
    }
    let container = try ModelContainer(for: Member.self, store: copy)
    let members = try ModelContext(container)
      .fetch(FetchDescriptor<Member>(sortBy: [SortDescriptor(\.name)]))
    #expect(members.map { $0.circle.map(\.name) } == [["Ben"], ["Ada", "Cleo"], ["Ben"]])
    #expect(members.map { $0.twin?.name } == ["Ben", "Ada", nil])
  }

  @Test func `the program's classes, or the names of the columns, replace the model`() throws {
    let file = try Self.members(hasModel: false)
    let guessed = try CoreDataStore(.init(url: file.url))
    let classes = try CoreDataStore(.init(schema: Schema([Member.self]), url: file.url))
    for store in [guessed, classes] {
      let members = try store.fetch(StoreQuery(entity: "Member"))
      let ids = members.map(\.persistentIdentifier)
      #expect(members.map { $0["circle"] }.last == .identifiers([ids[1]]))
    }
  }

  private static func writtenClasses() throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    return try String(
      contentsOf: folder.appending(path: "Fixtures/MemberModels.swift"),
      encoding: .utf8
    )
  }
}
