import Foundation
import StoreProtocol

/// A writer that stores the values of new rows of one entity directly in columns.
///
/// Common kinds of values are stored unchanged; all others, and those that do not fit, are
/// processed as in any other save.
final class ColumnWriter: RowWriter {
  private let entity: StoreEntity
  private let values: IncomingValues
  private let types: [CellType]
  // In the writer's own memory, without uniqueness checks for each value: the draft of each column,
  // and the number of rows with a value in it. Both are allocated and freed with the writer.
  private let drafts: UnsafeMutablePointer<ColumnDraft>
  private let filled: UnsafeMutableBufferPointer<Int>
  // A single source uses the writer, and its calls never overlap.
  @exclusivity(unchecked) private var slot = 0

  /// Creates a writer for an entity's rows.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - types: The storage types of its properties.
  ///   - count: The expected number of rows.
  ///   - values: The converter of other values to cells.
  init(_ entity: StoreEntity, _ types: [CellType], count: Int, _ values: IncomingValues) {
    self.entity = entity
    self.types = types
    self.values = values
    drafts = .allocate(capacity: types.count)
    filled = .allocate(capacity: types.count)
    filled.initialize(repeating: 0)
    for (index, type) in types.enumerated() {
      (drafts + index).initialize(to: ColumnDraft(type: type))
      drafts[index].grow(to: count)
    }
  }

  deinit {
    drafts.deinitialize(count: filled.count)
    drafts.deallocate()
    filled.deallocate()
  }

  /// Adds a row; values that its object does not provide are null.
  ///
  /// - Throws: The error of a value that does not fit its property.
  func add(_ position: Int, of source: any RowProducer) throws {
    source.write(position, to: self)
    if let failure { throw failure.error }
    for index in filled.indices where filled[index] == slot {
      drafts[index].write(.null, at: slot)
      filled[index] = slot + 1
    }
    slot += 1
  }

  /// Returns the columns of the rows; the writer cannot be used afterward.
  func takeColumns() -> [Column] {
    filled.indices.map { drafts[$0].column(of: slot) }
  }

  /// Returns whether the row still lacks the value of a property.
  @inline(__always)
  private func isOpen(_ index: Int) -> Bool {
    index >= 0 && index < filled.count && filled[index] == slot
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
      putOther(value, at: index)
    }
  }

  /// Writes a value that the column does not store unchanged.
  private func putOther(_ value: StoreValue, at index: Int) {
    guard failure == nil else { return }
    do {
      let cell = try values.cell(of: value, as: types[index], index, entity)
      drafts[index].write(cell, at: slot)
      filled[index] = slot + 1
    } catch {
      failure = (index, error)
    }
  }
}
