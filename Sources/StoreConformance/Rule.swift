import StoreProtocol

/// One rule of the store contract, with the check that a store keeps it.
public struct Rule: Identifiable, Sendable {
  /// How strictly a rule is meant.
  public enum Level: String, Sendable {
    /// A store that breaks it loses or changes data, or answers wrongly.
    case must = "MUST"
    /// A store that breaks it has a reason.
    case should = "SHOULD"
  }

  /// The chapter and number, such as `SAVE-003`, the same for all time.
  public let id: String
  /// How strictly the rule is meant.
  public let level: Level
  /// The rule in one sentence.
  public let sentence: String
  /// What a store must have declared for the rule to apply.
  public let needs: [Capability]
  private let body: @Sendable (StoreBench) throws -> Void

  init(
    _ id: String,
    _ level: Level,
    _ sentence: String,
    needs: [Capability] = [],
    check body: @escaping @Sendable (StoreBench) throws -> Void
  ) {
    self.id = id
    self.level = level
    self.sentence = sentence
    self.needs = needs
    self.body = body
  }

  /// Creates a rule that every store has to keep.
  init(
    _ id: String,
    _ sentence: String,
    needs: [Capability] = [],
    check body: @escaping @Sendable (StoreBench) throws -> Void
  ) {
    self.init(id, .must, sentence, needs: needs, check: body)
  }

  /// Tries the rule on a store in a fresh place, which is removed in the end.
  ///
  /// - Throws: A ``RuleViolation`` with what was expected and what was found, also where the store
  ///   threw an error that nothing called for.
  public func check(_ fixture: some StoreFixture) throws {
    do {
      let bench = try StoreBench(fixture)
      defer { bench.destroy() }
      try body(bench)
    } catch let violation as RuleViolation {
      throw violation.of(self)
    } catch {
      throw RuleViolation("the store works", expected: "no error", found: "\(error)").of(self)
    }
  }
}

extension Rule: CustomStringConvertible {
  /// The number with the sentence, as reports show it.
  public var description: String { "\(id) \(level.rawValue) \(sentence)" }
}

extension Rule {
  /// All rules of the contract, chapter by chapter.
  public static let all: [Rule] =
    LifecycleRules.all + IdentifierRules.all + ValueRules.all + QueryRules.all
    + ReferenceQueryRules.all + NodeRules.all + SelectionRules.all + SortingRules.all
    + WindowRules.all + RelationshipRules.all + DeletionRules.all + UniquenessRules.all
    + UniqueReferenceRules.all + AtomicityRules.all + VersionRules.all + HistoryRules.all
    + RandomRules.all

  /// The rules that apply to stores with some capabilities.
  public static func all(for capabilities: StoreCapabilities) -> [Rule] {
    all.filter { rule in rule.needs.allSatisfy { $0.isDeclared(by: capabilities) } }
  }

  /// The rules that apply to the store of a fixture, by what the store itself declares.
  public static func all(for fixture: some StoreFixture) throws -> [Rule] {
    let bench = try StoreBench(fixture)
    defer { bench.destroy() }
    return all(for: try bench.store.capabilities)
  }
}
