import CSVFiles
import CommandLineSupport
import OpenSwiftData

/// One file of the data set and how its rows become models.
struct ImportedFile: Sendable {
  /// The word in front of `.csv`.
  let name: String
  /// The fields that the header has to have.
  let fields: [String]
  /// The number of rows to read, all where absent.
  var limit: Int?
  /// Counts what the store has.
  let count: @Sendable (ModelContext) throws -> Int
  /// Adds the rows that are not there yet, and says how many these were.
  ///
  /// The flag tells that the store had none when the import began, so that nobody has to look.
  let add: @Sendable ([CSVRow], ModelContext, _ isFirstImport: Bool) throws -> Int

  /// The files in the order in which they refer to each other.
  static func all(flightLimit: Int?) -> [ImportedFile] {
    var flights = ImportedFile.flights
    flights.limit = flightLimit
    return [.airlines, .airports, .planes, .weather, flights]
  }
}
