import Foundation
import OpenSwiftData

/// A row of the stores whose size grows: as many rows share a group in a small store as in a large one.
@Model
final class Reading {
  #Index<Reading>([\.number], [\.group])

  var number: Int
  var group: Int
  var value: Double
  var name: String
  var taken: Date

  init(_ index: Int) {
    number = index
    group = index / Self.groupSize
    value = Self.value(index)
    name = Self.name(index)
    taken = Self.taken(index)
  }

  static let groupSize = 100

  static func value(_ index: Int) -> Double { Double(index % 1_000) / 8 }

  static func name(_ index: Int) -> String { "reading \(index)" }

  static func taken(_ index: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(700_000_000 + index))
  }
}

extension RawDatabase {
  static let readingColumns = "id, number, \"group\", value, name, taken"

  func createReadings(_ count: Int) throws {
    try execute(
      """
      CREATE TABLE reading (id INTEGER PRIMARY KEY, number INTEGER, "group" INTEGER, value REAL,
        name TEXT, taken REAL);
      CREATE INDEX reading_number ON reading(number);
      CREATE INDEX reading_group ON reading("group")
      """
    )
    let statement = try statement(
      "INSERT INTO reading (\(Self.readingColumns)) VALUES (?, ?, ?, ?, ?, ?)"
    )
    try transaction {
      for index in 0..<count {
        statement.bind(index + 1, at: 1)
        statement.bind(index, at: 2)
        statement.bind(index / Reading.groupSize, at: 3)
        statement.bind(Reading.value(index), at: 4)
        statement.bind(Reading.name(index), at: 5)
        statement.bind(Reading.taken(index).timeIntervalSinceReferenceDate, at: 6)
        guard statement.run() else { throw failure("INSERT") }
      }
    }
  }
}

/// A reading as a class instance and nothing else.
final class PlainReading {
  let id: Int
  let number: Int
  let group: Int
  let value: Double
  let name: String
  let taken: Date

  init(_ statement: borrowing RawStatement) {
    id = statement.integer(0)
    number = statement.integer(1)
    group = statement.integer(2)
    value = statement.double(3)
    name = statement.text(4)
    taken = Date(timeIntervalSinceReferenceDate: statement.double(5))
  }
}

extension RawStatement {
  /// All readings that the statement has left.
  func readings() -> [PlainReading] {
    var readings: [PlainReading] = []
    while step() { readings.append(PlainReading(self)) }
    reset()
    return readings
  }
}
