import StoreProtocol

/// A writer that turns the values of a row of one entity into cells.
///
/// The cells of a changed row are what the journal and the table get. New rows, of which there can be
/// many, are written into columns (``ColumnWriter``).
class CellWriter: RowWriter {
  typealias Target = PersistentIdentifier.Key

  final let entity: StoreEntity
  final let types: [CellType]
  private let values: IncomingValues
  /// The position of each property's cell, or `nil` for a property whose values are ignored.
  private let positions: [Int?]
  private let cellCount: Int
  /// The cells of the last row, in the order of the properties.
  private(set) final var cells: [Cell] = []
  /// The references of the last row that no row of this store can have.
  // A single run uses the writer, and its calls never overlap.
  @exclusivity(unchecked) final var lost: [(property: Int, target: Target)] = []

  /// Creates a writer for an entity's rows.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - types: The storage types of its properties.
  ///   - properties: The properties of ``cells``.
  ///   - values: The converter of values to cells.
  init(
    _ entity: StoreEntity,
    _ types: [CellType],
    only properties: [Int] = [],
    _ values: IncomingValues
  ) {
    self.entity = entity
    self.types = types
    self.values = values
    cellCount = properties.count
    var positions = [Int?](repeating: nil, count: properties.isEmpty ? 0 : types.count)
    for (position, index) in properties.enumerated() { positions[index] = position }
    self.positions = positions
    super.init()
  }

  /// Reads the values of a row; those that its producer does not provide are null.
  ///
  /// - Throws: The error of a value that does not fit its property.
  func add(_ position: Int, of producer: any RowProducer) throws {
    cells = Array(repeating: .null, count: cellCount)
    if !lost.isEmpty { lost = [] }
    producer.write(position, to: self)
    if let failure { throw failure.error }
  }

  /// Returns whether a value of a property is to be written.
  func isOpen(_ index: Int) -> Bool { positions.indices.contains(index) && positions[index] != nil }

  /// Sets the cell of a property whose value is to be written.
  func set(_ cell: Cell, at index: Int) {
    if let position = positions[index] { cells[position] = cell }
  }

  override func write(_ value: StoreValue, at index: Int) {
    put(at: index) {
      if types[index].isRelationship {
        for row in value.identifiers where try values.key(of: row, entity, index) == nil {
          lost.append((index, row.key))
        }
      }
      return try values.cell(of: value, as: types[index], index, entity)
    }
  }

  override func write(reference key: PersistentIdentifier.Key?, at index: Int) {
    put(at: index) {
      guard let key else { return .null }
      return try number(of: key, at: index).map(Cell.integer) ?? .null
    }
  }

  override func write(references keys: [PersistentIdentifier.Key]?, at index: Int) {
    put(at: index) {
      guard let keys else { return .null }
      return .keys(try keys.compactMap { try number(of: $0, at: index) }.withoutRepeats)
    }
  }

  /// Returns the number of a row that a relationship refers to, or notes that no row can have it.
  private func number(of key: Target, at index: Int) throws -> Int64? {
    let number = try values.key(of: key, entity, index)
    if number == nil { lost.append((index, key)) }
    return number
  }

  private func put(at index: Int, _ cell: () throws -> Cell) {
    guard failure == nil, isOpen(index) else { return }
    do {
      set(try cell(), at: index)
    } catch {
      failure = (index, error)
    }
  }
}
