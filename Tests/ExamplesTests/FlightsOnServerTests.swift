import Foundation
import PostgreSQLTestSupport
import Testing

@Suite("flights on a PostgreSQL server")
struct FlightsOnServerTests {
  @Test(
    .enabled(
      if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
      "no PostgreSQL server is installed"
    )
  )
  func `prints the same bytes as on SQLite, as text and as JSON`() throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 600, in: folder.url)
    let socket = try PrivateCluster.shared().folder.path
    let server =
      "postgres:///postgres?host=\(socket)&port=\(PrivateCluster.port)&user=tester"
      + "&schema=flights%20\(UUID().uuidString)"
    let stores = [folder.store("sqlite"), server]
    for store in stores {
      let words = ["import", "--store", store, "--data", data.folder.path]
      let run = try ExampleProcess.flights.run(words)
      try #require(run.code == 0, "\(run.errors)")
    }
    for form in ["json", "text"] {
      let reports = try stores.map { store in
        let run = try ExampleProcess.flights.run(["report", "--store", store, "--format", form])
        try #require(run.code == 0, "\(run.errors)")
        return run.output
      }
      #expect(reports[0].count > 1_000)
      #expect(reports[0] == reports[1])
    }
  }
}
