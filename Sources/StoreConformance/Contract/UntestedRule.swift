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
      sentence: "A store that cannot be opened is left unchanged, byte for byte.",
      reason: "A newer program, or a person, can still recover its data.",
      obstacle: "only the store knows its bytes; MIGR-006 and MIGR-090 test a part"
    ),
    UntestedRule(
      id: "LIFE-081",
      level: .must,
      sentence: "No bytes of a file end the program; damage is a typed error.",
      reason: "Files are truncated, swapped and edited by hand.",
      obstacle: "only the store knows its format; fuzz it"
    ),
    UntestedRule(
      id: "VALUE-080",
      level: .may,
      sentence: "A store may omit values that a query does not name in `properties`.",
      reason: "A list of names need not read large values.",
      obstacle: "omitted values are read again by name, so no result differs"
    ),
    UntestedRule(
      id: "QUERY-080",
      level: .may,
      sentence: "A store may execute a part of a filter, if each returned row satisfies it.",
      reason: "An index for one condition is better than none.",
      obstacle: "the complete result is tested: the part of `plan(_:explained:)` and the rest"
    ),
    UntestedRule(
      id: "BATCH-080",
      level: .must,
      sentence:
        "Bulk deletions follow the delete rules of relationships, and throw as `deny` requires.",
      reason: "A bulk deletion is a deletion.",
      obstacle: "the sample schema has only nullify; other rules are tested with models"
    ),
    UntestedRule(
      id: "DURA-080",
      level: .must,
      sentence: "With durability `full`, a save that returned survives a power failure.",
      reason: "This is the definition of the level.",
      obstacle: "no test can cut the power; record the writes and syncs and replay them"
    ),
  ]
}
