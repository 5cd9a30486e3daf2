/// A chapter of the contract: the rules whose numbers begin with the same word.
public struct Chapter: Identifiable, Sendable {
  /// The word before the number, such as `ATOM` in `ATOM-003`.
  public let id: String
  /// The heading.
  public let title: String
  /// The tier of rules without needs of their own.
  public let tier: Tier

  /// All chapters in the order of the page.
  public static let all: [Chapter] = [
    Chapter(id: "LIFE", title: "Life cycle", tier: .core),
    Chapter(id: "IDENT", title: "Identifiers", tier: .core),
    Chapter(id: "VALUE", title: "Values", tier: .core),
    Chapter(id: "ATOM", title: "Saves, whole or not at all", tier: .core),
    Chapter(id: "LIMIT", title: "Limits", tier: .core),
    Chapter(id: "MODEL", title: "Models", tier: .core),
    Chapter(id: "QUERY", title: "Filters", tier: .core),
    Chapter(id: "SELECT", title: "Values and groups", tier: .core),
    Chapter(id: "SORT", title: "Order", tier: .core),
    Chapter(id: "WINDOW", title: "Windows", tier: .core),
    Chapter(id: "DIRECT", title: "Ways past records", tier: .core),
    Chapter(id: "COUNT", title: "Counting what it costs", tier: .query),
    Chapter(id: "REL", title: "Relationships", tier: .relationships),
    Chapter(id: "DELETE", title: "Deletion", tier: .relationships),
    Chapter(id: "UNIQUE", title: "Unique values", tier: .uniqueness),
    Chapter(id: "HIST", title: "History", tier: .history),
    Chapter(id: "BATCH", title: "Bulk changes", tier: .batch),
    Chapter(id: "MIGR", title: "Migration", tier: .migration),
    Chapter(id: "VERSION", title: "Versions", tier: .concurrency),
    Chapter(id: "CONC", title: "Threads and handles", tier: .concurrency),
    Chapter(id: "DURA", title: "Failures", tier: .durability),
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
