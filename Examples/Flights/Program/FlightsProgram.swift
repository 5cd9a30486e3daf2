import FlightRecords

/// The program `flights`.
@main
enum FlightsProgram {
  static func main() async {
    await Flights.main()
  }
}
