/// The kind of work that a save was for.
///
/// Programs name their own parts by ``EditingState/author``, which a store passes on unchanged. The
/// origin distinguishes the work of a program from that of the engine, and is extensible.
public struct SaveOrigin: RawRepresentable, Hashable, Codable, Sendable {
  /// The name that stores record.
  public let rawValue: String

  /// Creates an origin with a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A program saved its objects or ran its own statements.
  public static let program = SaveOrigin(rawValue: "program")
  /// A migration rewrote rows.
  public static let migration = SaveOrigin(rawValue: "migration")
  /// Rows of another store were copied or imported.
  public static let copy = SaveOrigin(rawValue: "copy")
  /// Maintenance, such as a repair, changed rows.
  public static let maintenance = SaveOrigin(rawValue: "maintenance")
}
