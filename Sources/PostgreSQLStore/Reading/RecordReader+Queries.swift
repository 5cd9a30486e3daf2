import PostgreSQLClient
import QueryEvaluation
import StoreProtocol

extension RecordReader {
  func records(_ plan: QueryPlan) throws -> [DefaultSnapshot] {
    let found = try records([plan.request])[0]
    return plan.isNative ? found : try evaluation.evaluate(plan.remaining, over: found)
  }

  func identifiers(_ plan: QueryPlan) throws -> [PersistentIdentifier] {
    plan.isNative
      ? try identifiers(plan.request) : try records(plan).map(\.persistentIdentifier)
  }

  /// Returns the number of rows of a query.
  func count(_ plan: QueryPlan) throws -> Int {
    guard plan.filter.rest.isEmpty else { return try records(plan).count }
    return Int(try connection.run(plan.count).value(0, 0, as: Int64.self) ?? 0)
  }

  /// Evaluates the rest of a query over rows of the state that the connection reads.
  var evaluation: RecordEvaluation {
    RecordEvaluation(
      schema: map.schema,
      records: { try records(QueryPlan(.rows($0, of: $1), map)) },
      members: { try members(of: $0, in: $1, owners: $2) }
    )
  }

  /// Returns the related objects of a to-many relationship by their owners, in order.
  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    let requests = try MemberRequests(of: property, in: entity, owners, map)
    return try requests?.members(of: owners, connection.run(requests?.statements ?? [])) ?? [:]
  }
}
