import CommandLineSupport
import OpenSwiftData

/// `storectl list`: lists the objects of an entity.
enum ListCommand {
  private static let entity = Argument(
    "ENTITY",
    "The entity; its subentities are included."
  )
  private static let sort = Option(
    "sort",
    value: "[-]PROPERTY",
    "Sort by a property, with a leading dash in descending order; repeatable.",
    isRepeatable: true,
    takesDashes: true
  )
  static let condition = Option(
    "where",
    value: "CONDITION",
    "Only objects that match, as name=Paris or author.name=Ada; repeatable.",
    isRepeatable: true
  )
  private static let limit = Option("limit", value: "N", "Show at most N objects.")
  private static let offset = Option(
    "offset",
    value: "N",
    "Skip the first N objects.",
    default: "0"
  )
  private static let columns = Option(
    "columns",
    value: "NAMES",
    "The properties to show, in this order, separated by commas."
  )
  private static let format = Option(
    "format",
    value: "FORM",
    "The format of the output; a table on a terminal, ndjson in a pipe.",
    choices: ["table", "json", "csv", "ndjson"]
  )

  /// The number of objects in a table without a limit, chosen for readability.
  private static let tableLimit = 50

  static let command = Command(
    "list",
    "Lists the objects of an entity.",
    discussion: """
      A table has at most \(tableLimit) objects unless --limit is given; the other
      formats have all. In ndjson each line is an object, with its values as in a
      JSON store. Conditions compare with = != < <= > >=; ~ tests whether a string
      contains another. Dots follow relationships: author.name=Ada. A to-many
      relationship matches if any of its objects does: books.pages>100.
      """,
    options: [sort, condition, limit, offset, columns, format],
    arguments: [OpenedStore.argument, entity]
  ) { invocation, console in
    let standard = console.isOutputTerminal ? "table" : "ndjson"
    let form = invocation.text(format) ?? standard
    var listing = try listing(invocation)
    if form == "table", listing.query.limit == nil { listing.query.limit = tableLimit }
    switch form {
    case "json": try listing.writeJSON(asList: true, to: console)
    case "csv": try listing.writeCSV(to: console)
    case "table": try listing.writeTable(to: console)
    default: try listing.writeJSON(asList: false, to: console)
    }
  }

  /// Returns the query for the objects that satisfy the conditions of a command line.
  static func query(
    _ invocation: Invocation,
    of entity: StoreEntity,
    in opened: OpenedStore
  ) throws -> StoreQuery {
    let conditions = try invocation.texts(condition).map {
      try Condition($0, of: entity, in: opened).expression
    }
    var query = StoreQuery(entity: entity.name)
    query.filter = conditions.count > 1 ? .and(conditions) : conditions.first
    return query
  }

  private static func listing(_ invocation: Invocation) throws -> Listing {
    let opened = try OpenedStore(OpenedStore.url(invocation, before: entity))
    let entity = try opened.entity(named: try invocation.required(entity))
    let names = invocation.text(columns)?.split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    var query = try Self.query(invocation, of: entity, in: opened)
    query.sort = try invocation.texts(sort).map(entity.sort)
    query.limit = try invocation.integer(limit)
    query.offset = try invocation.integer(offset) ?? 0
    return Listing(
      opened: opened,
      entity: entity,
      columns: try names?.map(entity.requiredProperty)
        ?? entity.properties,
      hasNamedColumns: names != nil,
      query: query
    )
  }
}
