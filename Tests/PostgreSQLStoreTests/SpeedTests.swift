import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import StoreProtocol
import Testing

@testable import PostgreSQLStore

/// The time of the store as a ratio to that of hand-written statements on the same client, on
/// request: `OSD_SPEED=1 swift test -c release -Xswiftc -enable-testing --filter SpeedTests`.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["OSD_SPEED"] != nil && PrivateCluster.isAvailable,
    "no figures were asked for"
  )
)
struct `Speed of PostgreSQLStore` {
  private static let rows = 20_000
  private static let names = ["name", "days", "price", "start"]
  private static let schema = Schema(
    storeSchema: StoreSchema(entities: [
      StoreEntity(
        name: "Trip",
        properties: zip(names, [AttributeType.string, .int64, .double, .date]).map {
          StoreProperty(name: $0, kind: .attribute($1))
        }
      )
    ])
  )

  private func record(_ number: Int) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: "Trip"),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      names: PropertyNames(Self.names),
      values: [
        .string("trip \(number % 100)"), .integer(Int64(number)), .double(Double(number) / 4),
        .date(Date(timeIntervalSinceReferenceDate: Double(number))),
      ]
    )
  }

  /// Returns the medians of the times of two functions, which alternate.
  private func times(
    _ count: Int,
    _ store: (Int) throws -> Void,
    _ raw: (Int) throws -> Void
  ) rethrows -> (store: Duration, raw: Duration) {
    var (own, others): ([Duration], [Duration]) = ([], [])
    for number in 0..<count {
      own.append(try ContinuousClock().measure { try store(number) })
      others.append(try ContinuousClock().measure { try raw(number) })
    }
    return (own.sorted()[count / 2], others.sorted()[count / 2])
  }

  private func tell(_ name: String, _ times: (store: Duration, raw: Duration)) {
    let ratio = times.store / times.raw
    print("\(name): \(times.store) to \(times.raw), ratio \((ratio * 100).rounded() / 100)")
  }

  @Test func `each task beside its statements`() throws {
    let place = try SchemaFixture().makePlace()
    let store = try SchemaFixture().open(place, schema: Self.schema)
    let connection = try PrivateCluster.shared().connect()
    connection.deadline = .after(.seconds(600))
    let table = "\(store.map.space).\"Trip\""
    let write = TransactionOptions(.readCommitted)

    let records = (0..<Self.rows).map(record)
    try connection.run(Statement("CREATE TABLE raw_trip (LIKE \(table) INCLUDING ALL)"))
    let columns = "_key, _version, \"name\", \"days\", \"price\", \"start\""
    let insertion = """
      INSERT INTO raw_trip (\(columns)) SELECT k, 1, n, d, p, s \
      FROM unnest($1::int8[], $2::text[], $3::int8[], $4::float8[], $5::float8[]) \
      AS u(k, n, d, p, s)
      """
    tell(
      "insert \(Self.rows)",
      try times(3) { _ in
        try store.erase()
        _ = try store.apply(StoreChanges(inserted: records))
      } _: { _ in
        try connection.run(Statement("DELETE FROM raw_trip"))
        try connection.begin(write)
        let statements = stride(from: 0, to: Self.rows, by: 1_000).map { first in
          let numbers = first..<first + 1_000
          return Statement(
            insertion,
            [
              Parameter(array: numbers.map { Int64($0) }),
              Parameter(array: numbers.map { "trip \($0 % 100)" }),
              Parameter(array: numbers.map { Int64($0) }),
              Parameter(array: numbers.map { Double($0) / 4 }),
              Parameter(array: numbers.map { Double($0) }),
            ],
            isPrepared: true
          )
        }
        try connection.commit(statements)
      }
    )

    let all = Statement("SELECT \(columns) FROM \(table) ORDER BY _key", isPrepared: true)
    func read(_ result: QueryResult) throws {
      for row in 0..<result.rowCount {
        _ = try result.value(row, 0, as: Int64.self)
        _ = try result.value(row, 1, as: Int64.self)
        _ = try result.value(row, 2, as: String.self)
        _ = try result.value(row, 3, as: Int64.self)
        _ = try result.value(row, 4, as: Double.self)
        _ = try result.value(row, 5, as: Double.self)
      }
    }
    let query = StoreQuery(entity: "Trip")
    tell(
      "fetch all",
      try times(7) { _ in
        _ = try store.fetch(query)
      } _: { _ in
        try read(connection.run(all))
      }
    )

    let identifiers = try store.identifiers(StoreQuery(entity: "Trip", limit: 1_000))
    let point = "SELECT \(columns) FROM \(table) WHERE _key = $1"
    tell(
      "fetch one",
      try times(1_000) {
        _ = try store.fetch(.rows([identifiers[$0]], of: "Trip"))
      } _: { number in
        let key = Parameter(identifiers[number].integerKey)
        try read(connection.run(Statement(point, [key], isPrepared: true)))
      }
    )

    let change = "UPDATE \(table) SET \"days\" = $2 WHERE _key = $1"
    let days = try #require(Self.names.firstIndex(of: "days"))
    tell(
      "save one",
      try times(300) { number in
        let update = StoreUpdate(
          identifier: identifiers[number],
          changes: [.init(days, .integer(Int64(number)))]
        )
        _ = try store.apply(StoreChanges(updated: [update]))
      } _: { number in
        try connection.begin(write)
        let values = [Parameter(identifiers[number].integerKey), Parameter(Int64(number))]
        try connection.commit([Statement(change, values, isPrepared: true)])
      }
    )

    let selection = StoreSelection(
      query,
      groups: [.property(.element(0), "name")],
      columns: [
        .key(0), .count, .aggregate(.sum, .property(.element(0), "days"), .int64),
        .aggregate(.average, .property(.element(0), "price"), .double),
      ]
    )
    let groups = Statement(
      "SELECT name, count(*), sum(days)::int8, avg(price) FROM \(table) GROUP BY name",
      isPrepared: true
    )
    tell(
      "groups",
      try times(15) { _ in
        try store.select(selection) { _ in }
      } _: { _ in
        _ = try connection.run(groups)
      }
    )
    var evaluated: [Duration] = []
    for _ in 0..<3 {
      evaluated.append(
        try ContinuousClock().measure {
          try store.answering.select(selection, from: store.fetch(query)) { _ in }
        }
      )
    }
    print("groups by the evaluator: \(evaluated.sorted()[1])")
    try connection.run(Statement("DROP TABLE raw_trip"))
    try SchemaFixture().destroy(place)
  }
}
