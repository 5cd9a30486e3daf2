/// A rule of the contract that the suite does not test, with the obstacle.
public struct UntestedRule: Identifiable, Sendable {
  /// The chapter and number.
  public let id: String
  /// The strictness of the rule.
  public let level: Rule.Level
  /// The rule in one sentence.
  public let sentence: String
  /// The reason for the rule.
  public let reason: String
  /// The reason why the rule is not tested.
  public let obstacle: String

  /// All untested rules, chapter by chapter.
  public static let all: [UntestedRule] = [
    UntestedRule(
      id: "LIFE-080",
      level: .must,
      sentence: "A store that is refused when it is opened is left as it is, byte for byte.",
      reason: "A newer program, or a person, can still save what is in it.",
      obstacle: "only the store knows what its bytes are; MIGR-006 and MIGR-090 try a part"
    ),
    UntestedRule(
      id: "LIFE-081",
      level: .must,
      sentence: "No bytes of a file stop the program: damage is a typed error.",
      reason: "Files are cut short, mixed up and edited by hand.",
      obstacle: "only the store knows its format; fuzz it"
    ),
    UntestedRule(
      id: "VALUE-080",
      level: .may,
      sentence: "A store may leave out what a query does not name in `properties`.",
      reason: "Large values cost time that a list of names need not take.",
      obstacle: "what is left out is read again by name, and no answer differs"
    ),
    UntestedRule(
      id: "QUERY-080",
      level: .may,
      sentence: "A store may take a part of a filter, if each row that it gives satisfies it.",
      reason: "An index over one condition is better than none.",
      obstacle: "the whole answer is tried: what the store takes by `part(of:)` and what remains"
    ),
    UntestedRule(
      id: "BATCH-080",
      level: .must,
      sentence: "Bulk deletions follow the delete rules of relationships, and refuse as they say.",
      reason: "Deleting in bulk is deleting.",
      obstacle: "the sample schema has no rule but nullify; models with rules are tried by layer"
    ),
    UntestedRule(
      id: "DURA-080",
      level: .must,
      sentence: "At the durability full a save that returned survives a loss of power.",
      reason: "That is what the word says.",
      obstacle: "no test can cut the power; log the writes and syncs and replay them"
    ),
  ]
}
