import StoreProtocol

/// A request to a store, with the result that the model has.
struct MachineQuestion {
  /// A function that writes the result of a store, once the numbers of its rows are known.
  typealias Found = (MachineNames) -> [String]

  /// The request, in words.
  let subject: String
  /// The rules that a wrong result breaks.
  let sentences: String
  /// Returns the result of the model.
  let expected: (ContractModel) throws -> [String]
  /// Sends the request to a store.
  let found: (any RecordStore) throws -> Found

  init(
    _ subject: String,
    _ sentences: String,
    expected: @escaping (ContractModel) throws -> [String],
    found: @escaping (any RecordStore) throws -> Found
  ) {
    (self.subject, self.sentences) = (subject, sentences)
    (self.expected, self.found) = (expected, found)
  }

  /// Throws if two results differ, with the first difference.
  func compare(_ found: [String], with expected: [String]) throws {
    guard found != expected else { return }
    let index = zip(found, expected).prefix { $0 == $1 }.count
    func line(_ lines: [String]) -> String {
      index < lines.count ? lines[index] : "no more than \(lines.count)"
    }
    throw RuleViolation(
      "\(subject), line \(index + 1) (\(sentences))",
      expected: line(expected),
      found: line(found),
      isWholeCase: true
    )
  }
}

/// The identifiers of the rows of a case in a store.
struct MachineNames {
  /// The identifier of the store.
  let store: String
  /// The identifiers of all rows that were ever stored.
  private(set) var identifiers: [Int64: PersistentIdentifier] = [:]
  private var numbers: [PersistentIdentifier.Key: Int64] = [:]

  init(store: String) { self.store = store }

  mutating func add(_ identifier: PersistentIdentifier, as number: Int64) {
    identifiers[number] = identifier
    numbers[identifier.key] = number
  }

  /// Whether a row ever had an identifier's key.
  func isUsed(_ identifier: PersistentIdentifier) -> Bool { numbers[identifier.key] != nil }

  /// Returns a row of the store by its number; a number without a row is 0.
  func inNumbers(_ found: PersistentIdentifier) -> PersistentIdentifier {
    DifferentialRow.identifier(numbers[found.key] ?? 0, found.entityName)
  }

  /// Returns the reference to a row that was ever stored.
  func numbered(_ number: Int64) -> PersistentIdentifier? {
    identifiers[number].map { DifferentialRow.identifier(number, $0.entityName) }
  }

  /// Returns a row's identifier in the store with the entity of a reference.
  func own(_ numbered: PersistentIdentifier) -> PersistentIdentifier? {
    numbered.integerKey.flatMap { identifiers[$0] }.map {
      PersistentIdentifier($0.key, of: numbered.entityName, in: store)
    }
  }

  /// Returns a row's identifier in the store; a number without a row gets a key that no store reaches
  /// soon.
  func ownOrMissing(_ numbered: PersistentIdentifier) -> PersistentIdentifier {
    own(numbered)
      ?? PersistentIdentifier(
        .integer(1 << 40 + (numbered.integerKey ?? 0)),
        of: numbered.entityName,
        in: store
      )
  }
}

/// The values of one row that a store showed.
struct MachineRow {
  let identifier: PersistentIdentifier
  let entity: StoreEntity
  let version: Int64
  let values: [StoreValue?]

  init(_ record: DefaultSnapshot, _ schema: StoreSchema) throws {
    (identifier, version) = (record.persistentIdentifier, record.version)
    entity = try schema.requiredEntity(identifier.entityName)
    values = entity.properties.map { record[$0.name] }
  }

  /// Reads the current row; a value is missing if the reader contradicts itself.
  init(_ reader: RowReader, withExternal: Bool = true) throws {
    (identifier, entity, version) = (reader.identifier, reader.entity, reader.version)
    values = try entity.properties.indices.map { index in
      let property = reader.entity.properties[index]
      if property.isToMany || (property.isExternal && !withExternal) { return .null }
      let value = try reader.value(at: index)
      let isNull = try reader.isNull(at: index)
      return try isNull == value.isNull && reader.returns(value, at: index) ? value : nil
    }
  }

  /// Returns the row as text with the numbers of rows.
  func text(_ names: MachineNames) -> String {
    MachineText.row(names.inNumbers(identifier), entity, version) { index in
      values[index]?.replacingIdentifiers(names.inNumbers)
    }
  }

  /// The row as text with its references as the store showed them.
  var text: String { MachineText.row(identifier, entity, version) { values[$0] } }
}

extension RowReader {
  /// Returns whether the method for a value's type returns it too.
  fileprivate func returns(_ value: StoreValue, at index: Int) throws -> Bool {
    switch value {
    case .string(let text): try string(at: index) == text
    case .integer(let number): try integer(at: index) == number
    // Unlike numbers, texts tell zeros apart, and are equal for what is no number.
    case .double(let number): try double(at: index).description == number.description
    case .date(let time): try date(at: index) == time
    case .identifier(let one): try reference(at: index) == one.key
    case .null where entity.properties[index].isToOne: try reference(at: index) == nil
    default: true
    }
  }
}
