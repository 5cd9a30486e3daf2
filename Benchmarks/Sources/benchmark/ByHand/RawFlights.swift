import Foundation

/// The flights by hand: three tables with foreign keys and the indexes that the models ask for.
extension RawDatabase {
  func createFlights() throws {
    try execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE carrier (id INTEGER PRIMARY KEY, code TEXT UNIQUE);
      CREATE TABLE airport (id INTEGER PRIMARY KEY, code TEXT UNIQUE);
      CREATE TABLE flight (id INTEGER PRIMARY KEY, "key" TEXT UNIQUE, number INTEGER, tailNumber TEXT,
        hour TEXT, departureDelay INTEGER, arrivalDelay INTEGER, distance INTEGER,
        carrierID INTEGER REFERENCES carrier(id), originID INTEGER REFERENCES airport(id),
        destinationID INTEGER REFERENCES airport(id));
      CREATE INDEX flight_delay ON flight(departureDelay);
      CREATE INDEX flight_carrier ON flight(carrierID);
      CREATE INDEX flight_origin ON flight(originID);
      CREATE INDEX flight_destination ON flight(destinationID)
      """
    )
  }

  /// Writes flights, and the carriers and airports that they name, in one transaction.
  func insert(_ flights: [FlightRecord]) throws {
    let statement = try statement(
      """
      INSERT INTO flight ("key", number, tailNumber, hour, departureDelay, arrivalDelay, distance,
        carrierID, originID, destinationID) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    )
    try transaction {
      let carriers = try insertCodes(FlightRecord.codes(flights) { [$0.carrier] }, "carrier")
      let airports = try insertCodes(
        FlightRecord.codes(flights) { [$0.origin, $0.destination] },
        "airport"
      )
      for flight in flights {
        statement.bind(flight.key, at: 1)
        statement.bind(flight.number, at: 2)
        statement.bind(flight.tailNumber, at: 3)
        statement.bind(flight.hour, at: 4)
        statement.bind(flight.departureDelay, at: 5)
        statement.bind(flight.arrivalDelay, at: 6)
        statement.bind(flight.distance, at: 7)
        statement.bind(carriers[flight.carrier], at: 8)
        statement.bind(airports[flight.origin], at: 9)
        statement.bind(airports[flight.destination], at: 10)
        guard statement.run() else { throw failure("INSERT") }
      }
    }
  }

  /// Writes rows that have a code, and tells their keys.
  private func insertCodes(_ codes: [String], _ table: String) throws -> [String: Int] {
    let statement = try statement("INSERT INTO \(table) (id, code) VALUES (?, ?)")
    var keys: [String: Int] = [:]
    for (index, code) in codes.enumerated() {
      statement.bind(index + 1, at: 1)
      statement.bind(code, at: 2)
      guard statement.run() else { throw failure("INSERT") }
      keys[code] = index + 1
    }
    return keys
  }
}

extension RawStatement {
  /// Binds a number or null.
  func bind(_ value: Int?, at index: Int32) {
    if let value { bind(value, at: index) } else { bindNull(at: index) }
  }

  /// Binds a text or null.
  func bind(_ value: String?, at index: Int32) {
    if let value { bind(value, at: index) } else { bindNull(at: index) }
  }
}
