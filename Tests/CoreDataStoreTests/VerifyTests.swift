import CoreDataTestSupport
import Testing

@Suite("storectl verify of Core Data files")
struct VerifyTests {
  @Test func `reports each duplicate of a unique value once, and compares as Swift does`()
    async throws
  {
    let file = try SourceFile.hierarchy(SourceFile.constrainedModel)
    try file.run(
      """
      UPDATE ZPERSON SET ZNAME = char(233) WHERE Z_PK = 1;
      UPDATE ZPERSON SET ZNAME = 'e' || char(769) WHERE Z_PK = 2;
      INSERT INTO ZPERSON VALUES (3, 4, 1, char(233), NULL, NULL);
      """
    )
    let run = await ToolRun.storectl("verify", "coredata:\(file.url.path)")
    let found = run.output.split(separator: "\n").filter { $0.contains("same unique name") }
    #expect(found.count == 2 && Set(found).count == 2, "\(run.output)\(run.errors)")
  }
}
