import Foundation
import StoreProtocol

/// A writer that stores the values of new rows of one entity directly in columns.
///
/// Common kinds of values are stored unchanged; all others, and those that do not fit, become cells
/// first.
final class ColumnWriter: RowWriter {
  private let entity: StoreEntity
  private let types: [CellType]
  private let values: IncomingValues
  /// The references of the last row that no row of this store can have.
  // A single run uses the writer, and its calls never overlap.
  @exclusivity(unchecked) private(set) var lost: [IncomingValues.LostTarget] = []
  // In the writer's own memory, without uniqueness checks for each value: the draft of each column,
  // and the number of rows with a value in it. Both are allocated and freed with the writer.
  private let drafts: UnsafeMutablePointer<ColumnDraft>
  private let filled: UnsafeMutableBufferPointer<Int>
  // A single run uses the writer, and its calls never overlap.
  @exclusivity(unchecked) private var slot = 0
  @exclusivity(unchecked) private var capacity = 0

  /// Creates a writer for an entity's rows.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - types: The storage types of its properties.
  ///   - count: The expected number of rows.
  ///   - values: The converter of other values to cells.
  init(
    _ entity: StoreEntity,
    _ types: [CellType],
    count: Int,
    _ values: IncomingValues
  ) {
    self.entity = entity
    self.types = types
    self.values = values
    drafts = .allocate(capacity: types.count)
    filled = .allocate(capacity: types.count)
    filled.initialize(repeating: 0)
    for (index, type) in types.enumerated() {
      (drafts + index).initialize(to: ColumnDraft(type: type))
    }
    super.init()
    grow(to: count)
  }

  deinit {
    drafts.deinitialize(count: filled.count)
    drafts.deallocate()
    filled.deallocate()
  }

  private func grow(to count: Int) {
    for index in types.indices { drafts[index].grow(to: count) }
    capacity = count
  }

  /// Adds a row; values that its producer does not provide are null.
  ///
  /// - Throws: The error of a value that does not fit its property.
  func add(_ position: Int, of producer: any RowProducer) throws {
    if slot == capacity { grow(to: max(16, capacity * 2)) }
    if !lost.isEmpty { lost = [] }
    producer.write(position, to: self)
    if let failure { throw failure.error }
    for index in types.indices where filled[index] == slot { set(.null, at: index) }
    slot += 1
  }

  /// The written values of the last row.
  var lastRow: [Cell] { types.indices.map { drafts[$0].cell(at: slot - 1) } }

  /// Removes the last row.
  func removeLastRow() {
    slot -= 1
    for index in types.indices {
      drafts[index].remove(at: slot)
      filled[index] = slot
    }
  }

  /// Returns all columns of the rows, and begins again without any.
  func takeColumns() -> [Column] {
    defer {
      for (index, type) in types.enumerated() {
        drafts[index] = ColumnDraft(type: type)
        filled[index] = 0
      }
      (slot, capacity) = (0, 0)
    }
    return types.indices.map { drafts[$0].column(of: slot) }
  }

  /// Returns whether the row still lacks the value of a property.
  @inline(__always)
  private func isOpen(_ index: Int) -> Bool {
    index >= 0 && index < filled.count && filled[index] == slot
  }

  private func set(_ cell: Cell, at index: Int) {
    drafts[index].write(cell, at: slot)
    filled[index] = slot + 1
  }

  // Each method that objects call leads to the draft without a call of another one.

  override func write(_ value: StoreValue, at index: Int) { put(value, at: index) }
  override func write(_ value: Int64, at index: Int) { put(.integer(value), at: index) }
  override func write(_ value: Double, at index: Int) { put(.double(value), at: index) }
  override func write(_ value: Date, at index: Int) { put(.date(value), at: index) }
  override func write(_ value: String, at index: Int) { put(.string(value), at: index) }

  @inline(__always)
  private func put(_ value: StoreValue, at index: Int) {
    guard isOpen(index) else { return }
    if drafts[index].take(value, at: slot) {
      filled[index] = slot + 1
    } else {
      convert(at: index) {
        if types[index].isRelationship { lost += try values.lost(value, index, entity) }
        return try values.cell(of: value, as: types[index], index, entity)
      }
    }
  }

  override func write(reference key: PersistentIdentifier.Key?, at index: Int) {
    convert(at: index) {
      guard let key else { return .null }
      return try number(of: key, at: index).map(Cell.integer) ?? .null
    }
  }

  override func write(references keys: [PersistentIdentifier.Key]?, at index: Int) {
    convert(at: index) {
      guard let keys else { return .null }
      return .keys(try keys.compactMap { try number(of: $0, at: index) }.withoutRepeats)
    }
  }

  /// Returns the number of a row that a relationship refers to, or notes that no row can have it.
  private func number(of key: PersistentIdentifier.Key, at index: Int) throws -> Int64? {
    let number = try values.key(of: key, entity, index)
    if number == nil { lost.append((index, key)) }
    return number
  }

  /// Sets the cell of a value that is not stored unchanged; the first failure is kept, since writers
  /// cannot throw.
  private func convert(at index: Int, _ cell: () throws -> Cell) {
    guard failure == nil, isOpen(index) else { return }
    do {
      set(try cell(), at: index)
    } catch {
      failure = (index, error)
    }
  }
}
