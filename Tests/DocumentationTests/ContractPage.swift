// snippet.contract-fixture
import Foundation
import StoreConformance
import StoreProtocol
import Testing

struct Fixture: StoreFixture {
  func makeLocation() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  func open(_ location: URL, schema: Schema?) throws -> MyStore {
    let url = location.appending(path: "store")
    return try MyStore(MyConfiguration(schema: schema, url: url), migrationPlan: nil)
  }

  func destroy(_ location: URL) throws { try FileManager.default.removeItem(at: location) }
}

@Test(arguments: try ConformanceRun(Fixture()).rules)
func keeps(_ rule: Rule) throws { try ConformanceRun(Fixture()).check(rule) }
// snippet.end
