import OpenSwiftData

@testable import StoreConformance

/// A good store that understands one thing wrongly.
final class DifferentialSaboteur: RecordStore {
  typealias Configuration = DifferentialSaboteurConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: DifferentialSaboteurConfiguration
  private let base: MemoryStore

  init(
    _ configuration: DifferentialSaboteurConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try MemoryStore(configuration.base)
  }

  var identifier: String { base.identifier }
  var schema: Schema { base.schema }
  var capabilities: StoreCapabilities { base.capabilities }

  func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    try base.read(configuration.mistake.spoiled(query), body)
  }

  func count(_ query: StoreQuery) throws -> Int {
    guard configuration.mistake == .countWithoutLimit else { return try fetch(query).count }
    var query = query
    query.limit = nil
    return try base.count(query)
  }

  func select(_ selection: StoreSelection, _ body: ([StoreValue]) throws -> Void) throws {
    var selection = selection
    if configuration.mistake == .differentAsAll {
      selection.columns = selection.columns.map { column in
        guard case .aggregate(.distinctCount, let value, let type) = column else { return column }
        return .aggregate(.count, value, type)
      }
    }
    try base.select(selection, body)
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult { try base.apply(changes) }

  func erase() throws { try base.erase() }
}

/// What a saboteur understands wrongly.
enum DifferentialMistake: String, CaseIterable, Sendable {
  case lessOrEqualAsLess, everyAsSome, startAsAnywhere, fallbackForgotten, nilIsNeverUnequal
  case reverseForgotten, offsetForgotten, countWithoutLimit, differentAsAll

  func spoiled(_ query: StoreQuery) -> StoreQuery {
    var query = query
    query.filter = query.filter.map(spoiled)
    if self == .offsetForgotten { query.offset = 0 }
    if self == .reverseForgotten {
      query.sort = query.sort.map { QuerySort($0.value) }
    }
    return query
  }

  private func spoiled(_ expression: QueryExpression) -> QueryExpression {
    let same = expression.replacingChildren(expression.children.map(spoiled))
    switch (self, same) {
    case (.lessOrEqualAsLess, .compare(.lessOrEqual, let left, let right)):
      return .compare(.less, left, right)
    case (.everyAsSome, .quantified(.every, let list, let variable, let test)):
      return .quantified(.some, list, variable: variable, test)
    case (.startAsAnywhere, .text(.startsWith, let text, let part)):
      return .text(.contains, text, part)
    case (.fallbackForgotten, .coalesce(let first, _)): return first
    case (.nilIsNeverUnequal, .compare(.notEqual, let left, let right)):
      return .and([same] + [left, right].map { .compare(.notEqual, $0, .constant(.null)) })
    default: return same
    }
  }
}

struct DifferentialSaboteurConfiguration: DataStoreConfiguration, Sendable {
  typealias Store = DifferentialSaboteur

  let mistake: DifferentialMistake
  var base: MemoryStoreConfiguration
  var name: String { mistake.rawValue }
  var schema: Schema? {
    get { base.schema }
    set { base.schema = newValue }
  }
}

struct DifferentialSaboteurFixture: StoreFixture {
  let mistake: DifferentialMistake

  func makeLocation() {}

  func open(_ location: Void, schema: Schema?) throws -> DifferentialSaboteur {
    try DifferentialSaboteur(
      DifferentialSaboteurConfiguration(
        mistake: mistake,
        base: MemoryStoreConfiguration(schema: schema)
      )
    )
  }

  func destroy(_ location: Void) {}
}
