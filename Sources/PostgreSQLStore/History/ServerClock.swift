/// The clock of the server, by which everything in a store expires.
///
/// The clocks of programs differ: one that is ahead would delete what others still need.
enum ServerClock {
  /// The current time in SQL, in seconds since the reference date of Foundation.
  static let now = "(extract(epoch FROM now()) - 978307200)::float8"
}
