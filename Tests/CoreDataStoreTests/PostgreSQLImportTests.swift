import Foundation
import PostgreSQLTestSupport
import Testing

@Suite(
  "storectl import of files of Core Data into PostgreSQL",
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct PostgreSQLImportTests {
  @Test(arguments: ["hierarchy", "things", "documents", "ddg-Bookmarks_V1", "plaso-DataUsage"])
  func `copies all objects of a file`(_ name: String) async throws {
    let source =
      switch name {
      case "hierarchy": try SourceFile.hierarchy()
      case "things": try SourceFile.things()
      case "documents": try SourceFile.documents()
      default: try SourceFile(copying: name)
      }
    let before = try source.bytes()
    let folder = try PrivateCluster.shared().folder.path
    let schema = name.lowercased().filter(\.isLetter)
    let target = "postgres://tester@/postgres?host=\(folder)&schema=\(schema)"
    let address = "coredata:\(source.url.path)"
    let run = await ToolRun.storectl("import", address, "--into", target)
    #expect(run.code == 0, "\(run.errors)")
    let difference = await ToolRun.storectl("diff", address, target)
    #expect(difference.code == 0, "\(difference.output)\(difference.errors)")
    let check = await ToolRun.storectl("verify", target)
    #expect(check.code == 0, "\(check.output)\(check.errors)")
    #expect(try source.bytes() == before)
    // A store with objects is refused as a target.
    let again = await ToolRun.storectl("import", address, "--into", target)
    #expect(again.code == 1, "\(again.output)")
    let same = await ToolRun.storectl("diff", address, target)
    #expect(same.code == 0, "\(same.output)\(same.errors)")
  }
}
