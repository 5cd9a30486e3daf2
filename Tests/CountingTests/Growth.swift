import StoreTestSupport
import Testing

/// The growth of a piece of work: its time per row for eight times as many rows, relative to few.
///
/// Work that examines all earlier rows for each new one is eight times as slow per row. Linear work
/// is far from the limit, and a busy machine does not matter: the time is that of this thread's CPU.
enum Growth {
  private static let factor = 8
  private static let limit = 2.8

  /// Expects that a piece of work takes time proportional to a number of rows.
  ///
  /// - Parameters:
  ///   - count: The small number of rows.
  ///   - location: The source location of a failure.
  ///   - prepare: A closure that prepares the work for a number of rows and returns it.
  /// - Throws: The errors of the work.
  static func expectLinear(
    from count: Int,
    _ location: SourceLocation = #_sourceLocation,
    _ prepare: (Int) throws -> () throws -> Void
  ) throws {
    var few = Double.infinity
    var many = Double.infinity
    // The least of several attempts: a test that starts beside others warms up caches for them.
    for _ in 0..<3 {
      few = min(few, try ThreadTime.measure(prepare(count)) / .seconds(count))
      many = min(many, try ThreadTime.measure(prepare(count * factor)) / .seconds(count * factor))
      if many <= few * limit { return }
    }
    let ratio = many / few
    Issue.record(
      "a row of \(count * factor) takes \(ratio) times as long as one of \(count): \(many) s",
      sourceLocation: location
    )
  }
}
