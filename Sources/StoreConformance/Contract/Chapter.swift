/// A chapter of the contract: the rules whose numbers begin with the same word.
public struct Chapter: Identifiable, Sendable {
  /// The word before the number, such as `ATOM` in `ATOM-003`.
  public let id: String
  /// The heading.
  public let title: String
  /// The tier of the chapter's rules, unless a rule's capabilities select another.
  public let tier: Tier

  /// All chapters in the order of the page.
  public static let all: [Chapter] = [
    Chapter(id: "LIFE", title: "Life cycle", tier: .core),
    Chapter(id: "IDENT", title: "Identifiers", tier: .core),
    Chapter(id: "VALUE", title: "Values", tier: .core),
    Chapter(id: "ATOM", title: "Atomic saves", tier: .core),
    Chapter(id: "LIMIT", title: "Size limits", tier: .core),
    Chapter(id: "MODEL", title: "Models", tier: .core),
    Chapter(id: "QUERY", title: "Filters", tier: .core),
    Chapter(id: "SELECT", title: "Values and groups", tier: .core),
    Chapter(id: "SORT", title: "Sort order", tier: .core),
    Chapter(id: "WINDOW", title: "Limits and offsets", tier: .core),
    Chapter(id: "DIRECT", title: "Fast paths", tier: .core),
    Chapter(id: "COUNT", title: "Number of requests", tier: .query),
    Chapter(id: "REL", title: "Relationships", tier: .relationships),
    Chapter(id: "DELETE", title: "Deletion", tier: .relationships),
    Chapter(id: "UNIQUE", title: "Unique values", tier: .uniqueness),
    Chapter(id: "HIST", title: "History", tier: .history),
    Chapter(id: "BATCH", title: "Bulk changes", tier: .batch),
    Chapter(id: "MIGR", title: "Migration", tier: .migration),
    Chapter(id: "VERSION", title: "Versions", tier: .concurrency),
    Chapter(id: "CONC", title: "Threads and handles", tier: .concurrency),
    Chapter(id: "DURA", title: "Failures and crashes", tier: .durability),
    Chapter(id: "RANDOM", title: "Random operations", tier: .relationships),
  ]

  /// Returns the chapter of a rule's number.
  ///
  /// A number with an unlisted word gets a chapter of its own in the core tier, so that no rule is
  /// lost.
  public static func of(_ rule: String) -> Chapter {
    let word = String(rule.prefix { $0 != "-" })
    return all.first { $0.id == word } ?? Chapter(id: word, title: word, tier: .core)
  }
}
