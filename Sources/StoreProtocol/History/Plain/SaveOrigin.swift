/// The kind of work for which a store was saved.
///
/// Programs name their own parts by ``EditingState/author``, which a store passes on as it is. The
/// origin tells the work of a program from that of the engine, and is open for more kinds.
public struct SaveOrigin: RawRepresentable, Hashable, Codable, Sendable {
  /// The name that stores keep.
  public let rawValue: String

  /// Creates an origin of a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A program saved its objects or its own statements.
  public static let program = SaveOrigin(rawValue: "program")
  /// A migration rewrote rows.
  public static let migration = SaveOrigin(rawValue: "migration")
  /// Rows of another store were copied or imported.
  public static let copy = SaveOrigin(rawValue: "copy")
  /// Maintenance, such as a repair, changed rows.
  public static let maintenance = SaveOrigin(rawValue: "maintenance")
}
