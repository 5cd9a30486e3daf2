import PostgreSQLClient
import StoreProtocol

/// Reads records from the tables, in one state of the store if its connection is in a transaction.
struct RecordReader {
  let map: StoreMap
  let connection: Connection
  var decoder: RecordDecoder { RecordDecoder(map: map) }

  /// Returns the records of each request, in one round trip.
  func records(_ requests: [RowRequest]) throws -> [[DefaultSnapshot]] {
    guard !requests.isEmpty else { return [] }
    let results = try connection.run(requests.map(\.statement))
    return try zip(requests, results).map { try decoder.records($0.table, $1) }
  }

  func identifiers(_ request: RowRequest) throws -> [PersistentIdentifier] {
    try decoder.identifiers(request.table, connection.run(request.identifiers))
  }
}
