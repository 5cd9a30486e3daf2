import Foundation
import PostgreSQLClient
import RowChanges
import SQLTranslation
import StoreProtocol
import StructuredText

/// Rows to be written to a table by statements with one array for each column.
final class TableRows: RowWriter {
  /// The maximum number of rows that one statement writes.
  static let rowsAtOnce = 1000
  /// The size of a column's values at which a statement takes no further row.
  ///
  /// The server refuses an array of more than a gigabyte.
  static let bytesAtOnce = 64 << 20

  private let table: EntityTable
  /// The columns of properties to write, as indexes among those of the table.
  private let columns: [Int]
  private let isPartial: Bool
  private let isReplacing: Bool
  private let kinds: [ColumnKind.Plain]
  /// The topmost entity of the rows that each column refers to, empty for an attribute.
  private let roots: [String]
  /// The rows to which the rows refer, or `nil` if their references are keys of stored rows.
  private let references: ReferencedRows?
  private var keys = ArrayBuilder(of: Int64.self)
  private var versions = ArrayBuilder(of: Int64.self)
  private var entities = ArrayBuilder(of: String.self)
  // Accessed for each value, in accesses that never overlap.
  @exclusivity(unchecked) private var unique: UniqueColumns
  @exclusivity(unchecked) private var arrays: [ArrayBuilder]
  /// The text of the list that was written last, whose memory the next one uses.
  @exclusivity(unchecked) private var list: [UInt8] = []
  /// The strings of each row that are not in composed form, by the names of their columns.
  private var spellings: [Int: [StoreValue.Member]] = [:]
  /// The index among ``columns`` for each property of the current row's entity, or -1.
  @exclusivity(unchecked) private var indexes: [Int] = []
  private var entity: String?
  @exclusivity(unchecked) private var written = 0
  /// Whether the last row lost a reference to a row that does not exist.
  private(set) var hasLostReference = false

  /// The statements of earlier rows.
  private var statements: [Statement] = []

  /// The number of rows of the next statement.
  private var count: Int { keys.count }

  /// Whether the rows are as many, or as large, as one statement writes.
  private var areFull: Bool {
    count == Self.rowsAtOnce || arrays.contains { $0.byteCount >= Self.bytesAtOnce }
  }

  // In an UPDATE, and an INSERT of single values, Citus forwards values as text, in which all NaN
  // are equal.
  private var hasNaN = false

  /// Whether the values of a row cannot be changed without the row's other values.
  private(set) var needsWholeRows = false

  /// Creates an empty set of rows of a table, which are new or replace those with their keys.
  init(
    of table: EntityTable,
    columns: [Int]? = nil,
    _ map: StoreMap,
    replacing isReplacing: Bool,
    references: ReferencedRows? = nil
  ) {
    self.table = table
    self.isReplacing = isReplacing
    self.references = references
    self.columns = columns ?? Array(table.columns.indices)
    isPartial = columns != nil
    kinds = self.columns.map { table.columns[$0].kind.plain }
    roots = self.columns.map { table.columns[$0].kind.destination?.root ?? "" }
    arrays = self.columns.map { table.columns[$0].kind.makeArray() }
    unique = UniqueColumns(of: table, map.catalog)
  }

  /// Returns the statements that add records to a table, or replace the rows with their keys.
  static func statements(
    of records: [DefaultSnapshot],
    in table: EntityTable,
    _ map: StoreMap,
    replacing: Bool = false
  ) throws -> [Statement] {
    let rows = TableRows(of: table, map, replacing: replacing)
    for record in records {
      let identifier = record.persistentIdentifier
      guard let key = identifier.integerKey else { continue }
      try rows.addRow(key, of: identifier.entityName, version: record.version) {
        for (index, value) in record.values.enumerated() { rows.write(value, at: index) }
      }
    }
    return try rows.finish()
  }

  /// Returns the statements that write the rows.
  func finish() throws -> [Statement] {
    if count > 0 { try end() }
    return statements
  }

  /// Adds a row of a producer.
  func add(
    _ position: Int,
    of values: any RowProducer,
    _ entity: String,
    key: Int64,
    version: Int64
  ) throws {
    try addRow(key, of: entity, version: version) { values.write(position, to: self) }
  }

  private func addRow(
    _ key: Int64,
    of name: String,
    version: Int64,
    _ write: () -> Void
  ) throws {
    if entity != name {
      entity = name
      indexes = (table.positions[name] ?? []).map { columns.firstIndex(of: $0) ?? -1 }
      if !isPartial { try unique.begin(name) }
    }
    written = 0
    hasLostReference = false
    write()
    keys.append(key)
    versions.append(version)
    if table.isShared, !isPartial { entities.append(name) }
    if written < columns.count {
      for index in arrays.indices where arrays[index].count < count { arrays[index].appendNull() }
    }
    if let failure { throw failure.error }
    try unique.endRow()
    try refuseOversize()
    if areFull { try end() }
  }

  /// Refuses a row that no statement can write, by the name of its largest value.
  private func refuseOversize() throws {
    guard arrays.contains(where: { $0.byteCount > Self.bytesAtOnce }) else { return }
    let sizes = arrays.map(\.byteCount)
    guard sizes.reduce(0, +) > Statement.mostBytes, let largest = sizes.max(),
      let index = sizes.firstIndex(of: largest)
    else { return }
    throw DataStoreError(
      .invalidValue,
      "the row is larger than a gigabyte, which is the most that PostgreSQL takes; keep the value in "
        + "a file",
      entity: table.root,
      property: table.columns[columns[index]].property
    )
  }

  // MARK: Writing values

  override func write(_ value: StoreValue, at property: Int) {
    let index = index(of: property)
    guard index >= 0 else { return }
    let column = table.columns[columns[index]]
    switch (column.kind, value) {
    case (.reference, .identifier(let row)): return write(reference: row.key, at: property)
    case (.list, .identifiers(let rows)): return write(references: rows.map(\.key), at: property)
    default: break
    }
    written += 1
    if unique.contains(property) { unique.note(value, at: property) }
    do {
      guard try column.kind.append(value, to: &arrays[index]) else {
        return fail(column, "the value does not fit the property")
      }
      switch value {
      case .string(let text) where column.isText: noteSpelling(of: text, column)
      case .double(let number): note(number)
      case .date(let date): note(date.timeIntervalSinceReferenceDate)
      default: break
      }
    } catch let error as JSONText.NotStorable {
      fail(column, "the value cannot be stored: \(error.reason)")
    } catch {
      failure = failure ?? (property, error)
    }
  }

  override func write(_ value: Int64, at property: Int) {
    let index = index(of: property)
    guard index >= 0, kinds[index] == .integer else { return write(.integer(value), at: property) }
    written += 1
    if unique.contains(property) { unique.note(.integer(value), at: property) }
    arrays[index].append(value)
  }

  override func write(_ value: Double, at property: Int) {
    let index = index(of: property)
    guard index >= 0, kinds[index] == .double else { return write(.double(value), at: property) }
    written += 1
    note(value)
    if unique.contains(property) { unique.note(.double(value), at: property) }
    arrays[index].append(value)
  }

  override func write(_ value: Date, at property: Int) {
    let index = index(of: property)
    guard index >= 0, kinds[index] == .date else { return write(.date(value), at: property) }
    written += 1
    note(value.timeIntervalSinceReferenceDate)
    if unique.contains(property) { unique.note(.date(value), at: property) }
    arrays[index].append(value.timeIntervalSinceReferenceDate)
  }

  override func write(_ value: String, at property: Int) {
    var text = value
    let index = index(of: property)
    guard index >= 0, kinds[index] == .text, text.withUTF8({ append($0, to: index) }) else {
      return write(.string(value), at: property)
    }
    written += 1
    if unique.contains(property) { unique.note(.string(value), at: property) }
  }

  override func write(reference key: PersistentIdentifier.Key?, at property: Int) {
    let index = index(of: property)
    guard index >= 0 else { return }
    guard let key, let row = row(key, index) else { return write(.null, at: property) }
    written += 1
    if unique.contains(property) { unique.note(.integer(row), at: property) }
    arrays[index].append(row)
  }

  override func write(references keys: [PersistentIdentifier.Key]?, at property: Int) {
    let index = index(of: property)
    guard index >= 0 else { return }
    guard let keys else { return write(.null, at: property) }
    written += 1
    list.removeAll(keepingCapacity: true)
    for row in keys.compactMap({ row($0, index) }).withoutRepeats {
      if !list.isEmpty { list.append(UInt8(ascii: ",")) }
      list += String(row).utf8
    }
    list.withUnsafeBufferPointer { arrays[index].append(bytes: $0) }
  }

  /// Returns the key of the row that a key names, or `nil` if there is no such row.
  private func row(_ key: PersistentIdentifier.Key, _ index: Int) -> Int64? {
    guard let references else {
      if case .integer(let row) = key { return row }
      return nil
    }
    if let row = references.row(key, in: roots[index]) { return row }
    hasLostReference = true
    let column = table.columns[columns[index]]
    if case .reference = column.kind, let entity,
      let conflict = references.conflict(key, column, of: entity)
    {
      failure = failure ?? (0, conflict)
    }
    return nil
  }

  /// Appends a string that is stored as it is; returns `false` for any other.
  private func append(_ bytes: UnsafeBufferPointer<UInt8>, to index: Int) -> Bool {
    var (lowest, highest) = (UInt8.max, UInt8.min)
    for byte in bytes { (lowest, highest) = (min(lowest, byte), max(highest, byte)) }
    guard lowest > 1, highest < ExactText.firstCombiningByte else { return false }
    arrays[index].append(bytes: bytes)
    return true
  }

  private func index(of property: Int) -> Int {
    indexes.indices.contains(property) ? indexes[property] : -1
  }

  private func note(_ number: Double) {
    guard number.isNaN else { return }
    (hasNaN, needsWholeRows) = (true, true)
  }

  private func noteSpelling(of text: String, _ column: EntityTable.Column) {
    guard !ExactText.isComposed(text) else { return }
    needsWholeRows = true
    spellings[count, default: []].append(
      .init(column.label, .string(TextEscape.escaped(text)))
    )
  }

  private func fail(_ column: EntityTable.Column, _ reason: String) {
    let error = DataStoreError(
      .invalidValue,
      reason,
      entity: table.root,
      property: column.property
    )
    failure = failure ?? (0, error)
  }

  // MARK: Statements

  /// Creates the statements of the rows so far.
  private func end() throws {
    if isReplacing, hasNaN {
      var copy = keys
      let deletion = "DELETE FROM \(table.name) WHERE _key = ANY($1)"
      statements.append(Statement(deletion, [copy.take()], isPrepared: true))
    }
    statements.append(try takeStatement(replacing: isReplacing && !hasNaN))
    hasNaN = false
  }

  private func takeStatement(replacing: Bool) throws -> Statement {
    // The server plans anew for each array, but keeps the plan for single values.
    let isSingle = count == 1 && !hasNaN
    var texts = try spellingTexts()
    var fields: [(name: String, source: String, value: String, parameter: Parameter)] = []
    func add(_ name: String, _ kind: ColumnKind, _ list: inout ArrayBuilder) {
      let source = "$\(fields.count + 1)::\(kind.parameterType(isSingle ? "" : "[]"))"
      let value = kind.element(isSingle ? source : "r.c\(fields.count)")
      fields.append((name, source, value, isSingle ? list.takeElement() : list.take()))
    }
    add("_key", .integer, &keys)
    add("_version", .integer, &versions)
    if !isPartial {
      if table.isShared { add("_entity", .text, &entities) }
      for index in unique.arrays.indices { add("_u\(index)", .data, &unique.arrays[index]) }
    }
    for (index, position) in columns.enumerated() {
      let column = table.columns[position]
      add(column.name, column.kind, &arrays[index])
    }
    let hasTexts = texts.count > 0
    if hasTexts { add("_spelling", .json, &texts) }
    let sources = fields.map(\.source).joined(separator: ", ")
    let names = fields.indices.map { "c\($0)" }.joined(separator: ", ")
    let rows = "FROM unnest(\(sources)) AS r(\(names))"
    let values = fields.map(\.value).joined(separator: ", ")
    let sql: String
    if replacing {
      var assignments = fields.dropFirst().map { "\($0.name) = \($0.value)" }
      if table.hasStrings, !isPartial, !hasTexts { assignments.append("_spelling = NULL") }
      sql =
        "UPDATE \(table.name) AS t SET \(assignments.joined(separator: ", ")) "
        + (isSingle ? "" : rows + " ") + "WHERE t._key = \(fields[0].value)"
    } else {
      let columns = fields.map(\.name).joined(separator: ", ")
      sql =
        "INSERT INTO \(table.name) (\(columns)) "
        + (isSingle ? "VALUES (\(values))" : "SELECT \(values) \(rows)")
    }
    return Statement(sql, fields.map(\.parameter), isPrepared: true)
  }

  /// Returns the strings that are not in composed form, row by row, and removes them; the array is
  /// empty if there are none.
  private func spellingTexts() throws -> ArrayBuilder {
    var texts = ArrayBuilder(of: String.self)
    guard !spellings.isEmpty else { return texts }
    for row in 0..<count {
      texts.append(try spellings[row].map { try JSONText.encoded(.composite($0)) })
    }
    spellings = [:]
    return texts
  }
}

extension Catalog {
  /// Groups records by the topmost entities of their hierarchies.
  func byRoot(_ records: [DefaultSnapshot]) -> [(String, [DefaultSnapshot])] {
    let groups = Dictionary(grouping: records) { record in
      schema.entity(named: record.persistentIdentifier.entityName)?.root ?? ""
    }
    return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
