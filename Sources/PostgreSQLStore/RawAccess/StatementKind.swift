import StoreProtocol

/// The first word of a program's statement, which decides whether it may run.
///
/// The server itself refuses several statements at once, and all writing in a transaction that reads.
struct StatementKind {
  private static let reading: Set<String> = [
    "SELECT", "WITH", "VALUES", "TABLE", "EXPLAIN", "SHOW",
  ]
  private static let writing: Set<String> = ["INSERT", "UPDATE", "DELETE", "MERGE"]

  static let readOnly = DataStoreError(
    .storeReadOnly,
    "the connection is read-only; write in withWritableConnection"
  )

  private let word: String

  init(_ sql: String) {
    var rest = sql[...]
    while let first = rest.first {
      if first.isWhitespace || first == "(" {
        rest = rest.dropFirst()
      } else if rest.hasPrefix("--") {
        rest = rest.drop { !$0.isNewline }
      } else if rest.hasPrefix("/*") {
        rest = Self.afterComment(rest)
      } else {
        break
      }
    }
    word = rest.prefix(while: \.isLetter).uppercased()
  }

  /// Returns the text after a comment; comments nest.
  private static func afterComment(_ text: Substring) -> Substring {
    var (rest, depth) = (text, 0)
    repeat {
      if rest.hasPrefix("/*") {
        depth += 1
      } else if rest.hasPrefix("*/") {
        depth -= 1
      } else {
        rest = rest.dropFirst()
        continue
      }
      rest = rest.dropFirst(2)
    } while depth > 0 && !rest.isEmpty
    return rest
  }

  /// Throws unless the statement only reads, or writes rows and may do so.
  func check(mayWrite: Bool) throws {
    if Self.reading.contains(word) { return }
    guard Self.writing.contains(word) else {
      throw DataStoreError(
        .unsupportedFeature,
        "a statement that begins with \(word.prefix(20).debugDescription) is refused: it could end "
          + "the transaction, or change tables or settings"
      )
    }
    if !mayWrite { throw Self.readOnly }
  }
}
