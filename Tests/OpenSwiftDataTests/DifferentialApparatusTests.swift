import OpenSwiftData
import Testing

@testable import StoreConformance

@Suite struct `Random queries find broken stores` {
  @Test(arguments: DifferentialMistake.allCases)
  func `a planted mistake is found and reduced to a small case`(
    _ mistake: DifferentialMistake
  ) throws {
    let fixture = DifferentialSaboteurFixture(mistake: mistake)
    let report = try DifferentialRun(fixture, seed: 5).report(questions: 4_000, findings: 1)
    let finding = try #require(report.findings.first)
    #expect(finding.smallest.rows.count <= 3, "\(finding)")
    #expect(finding.smallest.question.expressions.flatMap(\.nodes).count <= 8, "\(finding)")
    #expect(throws: Difference.self) { try finding.smallest.check(fixture) }
    try finding.smallest.check(DifferentialFixtures.Memory())
  }

  @Test func `a finding is printed as a test`() throws {
    let found = DifferentialCase(
      rows: [
        DifferentialRow(3, "Person", ["name": .string("e\u{301}\"\\"), "height": .double(.nan)]),
        DifferentialRow(
          7,
          "Exhibit",
          ["keeper": .identifier(DifferentialRow.identifier(3, "Person"))]
        ),
      ],
      deleted: [3],
      query: StoreQuery(
        entity: "Person",
        filter: .compare(.less, .property(.element(0), "height"), .constant(.double(-0.0))),
        sort: [QuerySort(property: "name", isReversed: true)],
        limit: 1
      )
    )
    let expected = """
      @Test func `gives what the evaluator gives`() throws {
        try DifferentialCase(
          rows: [
            DifferentialRow(3, "Person", ["height": .double(.nan), "name": .string("e\\u{301}\\"\\\\")]),
            DifferentialRow(7, "Exhibit", ["keeper": .identifier(DifferentialRow.identifier(3, "Person"))]),
          ],
          deleted: [3],
          query: StoreQuery(entity: "Person", filter: .compare(.less, .property(.element(0), "height"), \
      .constant(.double(-0.0))), sort: [QuerySort(.property(.element(0), "name"), isReversed: true)], limit: 1)
        )
        .check(Fixture())
      }
      """
    #expect(SwiftSource.text(found) == expected)
  }
}

@Suite struct `Random queries` {
  /// The filters, sort terms and selected values of many questions, with their entities.
  private func expressions(_ count: Int) throws -> [(entity: String, value: QueryExpression)] {
    let rows = try RowGenerator.rows(seed: 9, count: 40)
    var maker = QueryGenerator(source: RandomSource(seed: 9), rows: rows.map(\.identifier))
    return (0..<count).flatMap { number in
      let selection = number.isMultiple(of: 4) ? maker.selection() : nil
      let query = selection?.query ?? maker.query()
      let values = (query.filter.map { [$0] } ?? []) + query.sort.map(\.value)
      return (values + (selection?.groups ?? [])).map { (query.entity, $0) }
    }
  }

  @Test func `contain every kind of node`() throws {
    var counts: [String: Int] = [:]
    for (_, value) in try expressions(24_000) {
      for node in value.nodes { counts[node.kind, default: 0] += 1 }
    }
    let rare = counts.filter { $0.value < 20 }
    #expect(rare.isEmpty)
    #expect(counts.count == 51)
  }

  @Test func `have valid types and bind their variables`() throws {
    for (entity, value) in try expressions(3_000) {
      let typing = QueryTyping([0: .object(entity)])
      #expect(value.freeVariables.isSubset(of: [0]))
      #expect(untyped(value, typing) == nil, "\(value)")
    }
  }

  /// The first part that has no type, though nothing in it is nil or empty.
  private func untyped(_ value: QueryExpression, _ typing: QueryTyping) -> QueryExpression? {
    if value.nodes.contains(where: \.isVague) { return nil }
    if typing.type(of: value) == nil { return value }
    let inner = typing.binding(value)
    for (index, child) in value.children.enumerated() {
      let types = index == 1 && value.boundVariable != nil ? inner : typing
      if let found = untyped(child, types) { return found }
    }
    return nil
  }

  @Test func `are equal for equal seeds`() throws {
    let first = try expressions(100).map(\.value.description)
    #expect(try expressions(100).map(\.value.description) == first)
  }

  @Test func `are unchanged after their parts are replaced by themselves`() throws {
    for (_, value) in try expressions(500) {
      #expect(value.replacingChildren(value.children) == value)
      #expect(value.reductions(QueryTyping([:])).allSatisfy { $0.weight < value.weight })
    }
  }
}

extension QueryExpression {
  /// Whether this is a constant whose type cannot be inferred.
  fileprivate var isVague: Bool {
    switch self {
    case .constant(.null), .constant(.identifiers([])), .constant(.array([])): true
    case .constant(.composite): true
    case .constant(.array(let list)):
      list.allSatisfy { [.null, .array([]), .identifiers([])].contains($0) }
    default: false
    }
  }
}
