import SQLTranslation

/// Names of tables and columns as SQL, for any names of types and properties in a program.
enum SQLIdentifier {
  /// The longest name that the store accepts, in bytes of UTF-8.
  static let maximumLength = 512

  /// The reason that a name cannot be used in SQLite.
  enum Refusal: Error, Equatable, Sendable {
    case empty
    case containsNull(String)
    case tooLong(byteCount: Int)
    case reserved(String)
    case collision(String, String)
  }

  /// Quotes a name for use in a statement.
  ///
  /// - Throws: ``Refusal`` if SQLite could not store the name, or reserves it.
  static func quoted(_ name: String) throws(Refusal) -> String {
    try check(name)
    return quotedComposite(name)
  }

  /// Quotes a name that the store made itself from names that passed the check.
  static func quotedComposite(_ name: String) -> String { SQLText.quoted(name, by: "\"") }

  /// Throws if SQLite treats two names as one, since it folds the case of ASCII letters only.
  static func checkCollisions(_ names: some Sequence<String>) throws(Refusal) {
    var seen: [[UInt8]: String] = [:]
    for name in names {
      if let earlier = seen.updateValue(name, forKey: folded(name)) {
        throw .collision(earlier, name)
      }
    }
  }

  /// Returns the bytes by which SQLite identifies a name.
  static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
  }

  /// Returns a name with `^` before each capital ASCII letter, so that names that differ only by
  /// case differ in SQLite too.
  static func markingCapitals(_ name: String) -> String {
    String(
      decoding: name.utf8.flatMap { $0 >= 0x41 && $0 <= 0x5A ? [0x5E, $0] : [$0] },
      as: UTF8.self
    )
  }

  private static func check(_ name: String) throws(Refusal) {
    if name.isEmpty { throw .empty }
    if name.utf8.contains(0) { throw .containsNull(name) }
    if name.utf8.count > maximumLength { throw .tooLong(byteCount: name.utf8.count) }
    if folded(name).starts(with: "sqlite_".utf8) { throw .reserved(name) }
  }
}
