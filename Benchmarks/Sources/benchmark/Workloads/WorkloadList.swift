/// All workloads by the names that the command line takes.
enum WorkloadList {
  struct Entry: Sendable {
    let name: String
    let make: @Sendable (Scene) throws -> Workload

    /// Whether there is the PostgreSQL server that the workload needs, if it needs one.
    var canRun: Bool {
      if name.hasPrefix("postgres-remote-") || name.hasPrefix("postgres-disk-") {
        return PostgreSQLScene.serverSocket != nil
      }
      return !name.hasPrefix("postgres-") || PostgreSQLScene.serverURL != nil
    }
  }

  static let all: [Entry] = [
    Entry(name: "sqlite-fetch") { try .fetch($0) },
    Entry(name: "sqlite-fetch-again") { try .fetch($0, again: true) },
    Entry(name: "sqlite-insert") { try .insert($0) },
    Entry(name: "sqlite-key") { try .fetchByKey($0, registered: false) },
    Entry(name: "sqlite-key-again") { try .fetchByKey($0, registered: true) },
    Entry(name: "sqlite-page") { try .indexedPage($0) },
    Entry(name: "sqlite-page-scan") { try .scannedPage($0) },
    Entry(name: "sqlite-update") { try .update($0) },
    Entry(name: "sqlite-saves") { try .singleSaves($0) },
    Entry(name: "sqlite-count") { try .count($0, indexed: true) },
    Entry(name: "sqlite-count-scan") { try .count($0, indexed: false) },
    Entry(name: "sqlite-delete") { try .delete($0, byCondition: false) },
    Entry(name: "sqlite-delete-where") { try .delete($0, byCondition: true) },
    Entry(name: "sqlite-update-where") { try .updateByCondition($0) },
    Entry(name: "sqlite-exists") { try .existence($0) },
    Entry(name: "sqlite-open") { try .open($0) },
    Entry(name: "sqlite-first") { try .firstQuery($0) },
    Entry(name: "query-lower") { try .lowering($0) },
    Entry(name: "trips-insert") { try .insertTrips($0) },
    Entry(name: "trips-prefetch") { try .readTrips($0, prefetched: true) },
    Entry(name: "trips-fault") { try .readTrips($0, prefetched: false) },
    Entry(name: "family-prefetch") { try .readFamilies($0, prefetched: true) },
    Entry(name: "family-fault") { try .readFamilies($0, prefetched: false) },
    Entry(name: "flights-import") { try .importFlights($0) },
    Entry(name: "flights-group") { try .groupFlights($0) },
    Entry(name: "flights-page") { try .flightsOfCarrier($0) },
    Entry(name: "observers") { try .observedSaves($0) },
    Entry(name: "observers-beside") { try .thousandObservers($0, isApart: false) },
    Entry(name: "observers-apart") { try .thousandObservers($0, isApart: true) },
    Entry(name: "request") { try .requests($0) },
    Entry(name: "context") { try .contexts($0) },
    Entry(name: "json-load") { try .documentLoad($0) },
    Entry(name: "json-open") { try .documentOpen($0) },
    Entry(name: "json-write") { try .documentWrite($0) },
    Entry(name: "json-save") { try .documentSave($0) },
    Entry(name: "json-filter") { try .documentFilter($0) },
    Entry(name: "json-sort") { try .documentSort($0) },
    Entry(name: "json-key") { try .documentKey($0) },
    Entry(name: "json-compact") { try .documentCompaction($0) },
    Entry(name: "outside-fetch") { try .fetchOutside($0) },
    Entry(name: "outside-insert") { try .insertOutside($0) },
    Entry(name: "postgres-fetch") { try .postgreSQLFetch($0) },
    Entry(name: "postgres-insert") { try .postgreSQLInsert($0) },
    Entry(name: "postgres-enumerate") { try .postgreSQLEnumerate($0, rows: 100_000) },
    Entry(name: "postgres-million") { try .postgreSQLEnumerate($0, rows: 1_000_000) },
    Entry(name: "postgres-key") { try .postgreSQLKey($0) },
    Entry(name: "postgres-saves") { try .postgreSQLSaves($0) },
    Entry(name: "postgres-disk-saves") { try .postgreSQLSaves($0, .disk) },
    Entry(name: "postgres-remote-key") { try .postgreSQLKey($0, .remote) },
    Entry(name: "postgres-remote-saves") { try .postgreSQLSaves($0, .remote) },
    Entry(name: "postgres-tenants") { try .postgreSQLTenants($0) },
    Entry(name: "object-read") { try .propertyRead($0) },
    Entry(name: "object-write") { try .propertyWrite($0) },
    Entry(name: "object-create") { try .create($0) },
    Entry(name: "object-release") { try .release($0) },
  ]

  /// The workloads of some names, or whose names begin with them where none is called so; all
  /// where there is no name.
  static func chosen(_ names: [String]) throws -> [Entry] {
    for name in names where !all.contains(where: { $0.name.hasPrefix(name) }) {
      let known = all.map { "  \($0.name)" }.joined(separator: "\n")
      throw BenchmarkError(
        "no workload's name begins with '\(name)'; there are\n\(known)\n"
          + "  growth\n  memory"
      )
    }
    return names.isEmpty ? all : all.filter { entry in names.contains { isMeant($0, entry) } }
  }

  private static func isMeant(_ name: String, _ entry: Entry) -> Bool {
    all.contains { $0.name == name } ? entry.name == name : entry.name.hasPrefix(name)
  }
}
