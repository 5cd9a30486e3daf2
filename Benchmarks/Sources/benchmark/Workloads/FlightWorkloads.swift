import Foundation
import GRDB
import OpenSwiftData

// Real flights: long texts that are unique, absent values, three relationships to few objects.

extension Workload {
  /// A month of flights, from values to durable rows, with the carriers and airports that they name.
  static func importFlights(_ scene: Scene) throws -> Workload {
    let records = try FlightRecord.first(scene.rows(27_004))
    let control = Contender.control("SQLite by hand") { watch in
      let path = scene.freshPath("flights.db")
      defer { scene.remove(path) }
      let database = try RawDatabase(path)
      try database.createFlights()
      try watch.time { try database.insert(records) }
      return UInt64(try database.number(sumByHand))
    }
    let engine = Contender.engine { watch in
      let path = scene.freshPath("flights.db")
      defer { scene.remove(path) }
      let container = try ModelContainer(for: Flight.self, store: "sqlite:\(path)")
      try watch.time { try save(records, into: container) }
      return try sum(container)
    }
    return Workload(
      title: "import a month of flights in one save",
      unit: "flight",
      count: records.count,
      expected: sum(records),
      contenders: [control, engine]
    )
  }

  /// Flights and their mean delay for each carrier, by a relationship.
  static func groupFlights(_ scene: Scene) throws -> Workload {
    let records = try FlightRecord.first(scene.rows(27_004))
    let repeats = 5
    let container = try flights(scene, records)
    let raw = try RawDatabase(try flightsByHand(scene, records))
    let peer = try PeerDatabase.queue(try flightsByHand(scene, records))
    let sql = """
      SELECT carrier.code, count(*), avg(arrivalDelay) FROM flight
      JOIN carrier ON carrier.id = carrierID GROUP BY carrier.code ORDER BY carrier.code
      """
    let control = Contender.control("SQLite by hand") { watch in
      try watch.time {
        var digest = Digest()
        for _ in 0..<repeats {
          let statement = try raw.statement(sql)
          while statement.step() {
            digest.add(statement.text(0), statement.integer(1), statement.double(2))
          }
        }
        return digest.value
      }
    }
    let engine = Contender.engine { watch in
      let context = ModelContext(container)
      return try watch.time {
        var digest = Digest()
        for _ in 0..<repeats {
          let groups = try context.fetch(
            FetchDescriptor<Flight>(),
            groupedBy: \.carrier?.code,
            aggregates: .count,
            .average(\.arrivalDelay)
          )
          for (code, values) in groups { digest.add(code ?? "", values.0, values.1 ?? 0) }
        }
        return digest.value
      }
    }
    let kept = try RawDatabase.kept(try storedFlights(scene, records))
    let limit = Contender.limit { watch in
      try watch.time {
        var digest = Digest()
        for _ in 0..<repeats {
          // A flight without a carrier is in a group of its own, and no sum may be too large unseen.
          let statement = try kept.statement(
            """
            SELECT c.code, count(*), count(arrivalDelay), sum(arrivalDelay) FROM "Flight"
            LEFT JOIN "Carrier" AS c ON c._key = carrier GROUP BY 1
            """
          )
          while try statement.checkedStep() {
            let sum = try statement.checkedInteger(3)
            let mean = Double(sum) / Double(statement.integer(2))
            digest.add(try statement.checkedText(0), statement.integer(1), mean)
          }
        }
        return digest.value
      }
    }
    let rows = Contender.peer("GRDB, rows of SQL") { watch in
      try watch.time {
        var digest = Digest()
        for _ in 0..<repeats {
          try peer.read { database in
            let rows = try Row.fetchCursor(database.cachedStatement(sql: sql))
            while let row = try rows.next() { digest.add(row[0], row[1], row[2] ?? 0) }
          }
        }
        return digest.value
      }
    }
    return Workload(
      title: "flights and mean delay by carrier",
      unit: "query",
      count: repeats,
      targets: [Target(ratio: 1.15)],
      expected: try control.run(Stopwatch()),
      contenders: [control, engine, limit, rows]
    )
  }

  /// The latest flights of a carrier from an airport, by two relationships.
  static func flightsOfCarrier(_ scene: Scene) throws -> Workload {
    let records = try FlightRecord.first(scene.rows(27_004))
    let carriers = FlightRecord.codes(records) { [$0.carrier] }.prefix(8)
    let container = try flights(scene, records)
    let raw = try RawDatabase(try flightsByHand(scene, records))
    let sql = """
      SELECT "key", departureDelay FROM flight
      WHERE carrierID = (SELECT id FROM carrier WHERE code = ?)
        AND originID = (SELECT id FROM airport WHERE code = 'JFK') AND departureDelay IS NOT NULL
      ORDER BY departureDelay DESC, id LIMIT 20
      """
    let control = Contender.control("SQLite by hand") { watch in
      let rows = try watch.time {
        let statement = try raw.statement(sql)
        var rows: [(String, Int)] = []
        for carrier in carriers {
          statement.bind(carrier, at: 1)
          while statement.step() { rows.append((statement.text(0), statement.integer(1))) }
          statement.reset()
        }
        return rows
      }
      return digest(rows)
    }
    let engine = Contender.engine { watch in
      let context = ModelContext(container)
      let airport = "JFK"
      let rows = try watch.time {
        var rows: [(String, Int)] = []
        for carrier in carriers {
          var latest = FetchDescriptor<Flight>(
            predicate: #Predicate {
              $0.carrier?.code == carrier && $0.origin?.code == airport && $0.departureDelay != nil
            },
            sortBy: [SortDescriptor(\.departureDelay, order: .reverse)]
          )
          latest.fetchLimit = 20
          rows += try context.fetch(latest).map { ($0.key, $0.departureDelay ?? 0) }
        }
        return rows
      }
      return digest(rows)
    }
    return Workload(
      title: "the latest 20 flights of a carrier from an airport, by two relationships",
      unit: "query",
      count: carriers.count,
      expected: try control.run(Stopwatch()),
      contenders: [control, engine]
    )
  }

  private static func save(_ records: [FlightRecord], into container: ModelContainer) throws {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    var carriers: [String: Carrier] = [:]
    for code in FlightRecord.codes(records, { [$0.carrier] }) {
      let carrier = Carrier(code: code)
      context.insert(carrier)
      carriers[code] = carrier
    }
    var airports: [String: Airport] = [:]
    for code in FlightRecord.codes(records, { [$0.origin, $0.destination] }) {
      let airport = Airport(code: code)
      context.insert(airport)
      airports[code] = airport
    }
    for record in records {
      let flight = Flight(record)
      context.insert(flight)
      flight.carrier = carriers[record.carrier]
      flight.origin = airports[record.origin]
      flight.destination = airports[record.destination]
    }
    try context.save()
  }

  private static func flights(_ scene: Scene, _ records: [FlightRecord]) throws -> ModelContainer {
    try ModelContainer(for: Flight.self, store: "sqlite:\(try storedFlights(scene, records))")
  }

  private static func storedFlights(_ scene: Scene, _ records: [FlightRecord]) throws -> String {
    try scene.making("engine.flights.sqlite") { path in
      try save(records, into: try ModelContainer(for: Flight.self, store: "sqlite:\(path)"))
    }
  }

  private static func flightsByHand(_ scene: Scene, _ records: [FlightRecord]) throws -> String {
    try scene.making("hand.flights.db") { path in
      let database = try RawDatabase(path)
      try database.createFlights()
      try database.insert(records)
    }
  }

  // The checksum of what was imported: each flight adds its number, its distance, and the lengths of
  // the codes of its related objects.

  private static let sumByHand = """
    SELECT sum(number + distance + length("key") + length(c.code) + length(o.code) + length(d.code))
    FROM flight JOIN carrier c ON c.id = carrierID JOIN airport o ON o.id = originID
    JOIN airport d ON d.id = destinationID
    """

  private static func sum(_ container: ModelContainer) throws -> UInt64 {
    try ModelContext(container).fetch(FetchDescriptor<Flight>()).reduce(into: 0) { sum, flight in
      sum += UInt64(flight.number + flight.distance + flight.key.count)
      for code in [flight.carrier?.code, flight.origin?.code, flight.destination?.code] {
        sum += UInt64(code?.count ?? 0)
      }
    }
  }

  private static func sum(_ records: [FlightRecord]) -> UInt64 {
    records.reduce(into: 0) { sum, record in
      sum += UInt64(record.number + record.distance + record.key.count)
      for code in [record.carrier, record.origin, record.destination] { sum += UInt64(code.count) }
    }
  }

  private static func digest(_ rows: [(String, Int)]) -> UInt64 {
    var digest = Digest()
    for (key, delay) in rows {
      digest.add(key)
      digest.add(delay)
    }
    return digest.value
  }
}

extension Digest {
  fileprivate mutating func add(_ code: String, _ count: Int, _ mean: Double) {
    add(code)
    add(count)
    // The order of additions differs, and with it the last digits.
    add(Int((mean * 1e6).rounded()))
  }
}
