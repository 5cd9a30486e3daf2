import OpenSwiftData

@testable import StoreConformance

/// A good store with one thing broken, and the rule that has to notice.
struct Saboteur: Sendable {
  /// What is broken, in words.
  let name: String
  /// The number of the rule.
  let rule: String
  /// Creates a location for such a store.
  private let makeBench: @Sendable (ConformanceSettings, Trace) throws -> StoreBench

  /// Creates a saboteur over stores in memory.
  init(
    _ name: String,
    _ rule: String,
    _ makeAlterations: @escaping @Sendable () -> Alterations
  ) {
    self.init(name, rule, over: Fixtures.Memory(), makeAlterations)
  }

  /// Creates a saboteur over the stores of a fixture.
  init<Base: StoreFixture>(
    _ name: String,
    _ rule: String,
    over base: Base,
    _ makeAlterations: @escaping @Sendable () -> Alterations = { Alterations() }
  ) where Base.Location: Sendable {
    self.name = name
    self.rule = rule
    makeBench = { try StoreBench(AlteredFixture(base, makeAlterations), settings: $0, $1) }
  }

  /// Tries a rule on such stores.
  func check(_ rule: Rule, run: UInt64 = 0) throws {
    let settings = ConformanceSettings(seed: run)
    try rule.check(patience: settings.patience) { try makeBench(settings, $0) }
  }

  /// Whether its rule is one of the machine.
  var isOfMachine: Bool { ["RANDOM-301", "RANDOM-401"].contains(rule) }

  /// Whether the machine finds it in a short run, without a search for the smallest case.
  func isFoundByMachine(run: UInt64) throws -> Bool {
    let reopens = rule == "RANDOM-401"
    return try RandomRules.seeds(reopens ? 401 : 301, run: run).contains { seed in
      let bench = try makeBench(ConformanceSettings(), Trace())
      defer { bench.destroy() }
      let steps = RandomRules.shortSteps
      return try MachineCase.failure(on: bench, seed: seed, steps: steps, reopens: reopens) != nil
    }
  }

  static let all =
    asking + ordering + identifying + valuing + saving + relating + versioning + living + claiming
    + failing + bulk + remembering + ofThePast + comparing + uniting + typed + sized + nodes
    + selections + direct + stubs + followers + keepers + requiring + surviving + stale + aging
    + protecting + meeting + meetingChanges
}

extension Alterations {
  /// Asks the store something else than was asked.
  static func asking(_ change: @escaping @Sendable (StoreQuery) -> StoreQuery) -> Alterations {
    var alterations = Alterations()
    alterations.fetch = { try $0.fetch(change($1)) }
    alterations.read = { try $0.fetch(change($1)) }
    alterations.count = { try $0.count(change($1)) }
    alterations.identifiers = { try $0.identifiers(change($1)) }
    return alterations
  }

  /// Asks for another filter, with each expression in it changed.
  static func understanding(
    _ change: @escaping @Sendable (QueryExpression) -> QueryExpression
  ) -> Alterations {
    @Sendable func changed(_ expression: QueryExpression) -> QueryExpression {
      change(expression.replacingChildren(expression.children.map(changed)))
    }
    return asking { query in
      var query = query
      query.filter = query.filter.map(changed)
      return query
    }
  }

  /// Gives other rows than the store has.
  static func giving(
    _ change:
      @escaping @Sendable ([DefaultSnapshot], any RecordStore, StoreQuery) throws
      -> [DefaultSnapshot]
  ) -> Alterations {
    var alterations = Alterations()
    alterations.fetch = { try change($0.fetch($1), $0, $1) }
    alterations.read = { try change($0.fetch($1), $0, $1) }
    alterations.count = { try change($0.fetch($1), $0, $1).count }
    alterations.identifiers = { try change($0.fetch($1), $0, $1).map(\.persistentIdentifier) }
    return alterations
  }

  /// Saves something else than was to be saved.
  static func saving(_ change: @escaping @Sendable (StoreChanges) -> StoreChanges) -> Alterations {
    var alterations = Alterations()
    alterations.apply = { try $0.apply(change($1)) }
    return alterations
  }

  /// Saves other values of new and changed rows.
  static func storing(_ change: @escaping @Sendable (StoreValue) -> StoreValue) -> Alterations {
    saving { changes in
      var changes = changes
      for index in changes.inserted.indices {
        changes.inserted[index].values = changes.inserted[index].values.map(change)
      }
      changes.updated = changes.updated.map { update in
        StoreUpdate(
          identifier: update.identifier,
          changes: update.changes.map { .init($0.index, change($0.value)) }
        )
      }
      return changes
    }
  }

  /// Returns another result of a save than the store does.
  static func returning(
    _ change: @escaping @Sendable (StoreChangesResult, StoreChanges) -> StoreChangesResult
  ) -> Alterations {
    var alterations = Alterations()
    alterations.apply = { change(try $0.apply($1), $1) }
    return alterations
  }

  /// Gives other members than the store does.
  static func joining(
    _ change: @escaping @Sendable (String, [PersistentIdentifier]) -> [PersistentIdentifier]
  ) -> Alterations {
    var alterations = Alterations()
    alterations.members = { store, property, entity, owners in
      try store.members(of: property, in: entity, owners: owners)
        .mapValues { change(property, $0) }
    }
    return alterations
  }

  /// Tells another history than the store has.
  static func telling(
    _ change: @escaping @Sendable (StoreTransaction) -> StoreTransaction?
  ) -> Alterations {
    var alterations = Alterations()
    alterations.transactions = { try $0.transactions($1).compactMap(change) }
    return alterations
  }

  /// Tells of the changes of a transaction otherwise.
  static func reportingChanges(
    _ change: @escaping @Sendable ([StoreChange]) -> [StoreChange]
  ) -> Alterations {
    telling { $0.with(author: $0.author, changes: change(Array($0.changes))) }
  }

  /// Declares something else than the store can do.
  static func declaring(
    _ change: @escaping @Sendable (inout StoreCapabilities) -> Void
  ) -> Alterations {
    var alterations = Alterations()
    alterations.capabilities = { capabilities in
      var capabilities = capabilities
      change(&capabilities)
      return capabilities
    }
    return alterations
  }
}
