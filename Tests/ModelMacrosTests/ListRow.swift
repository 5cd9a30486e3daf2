import ModelLayer

/// A row over a list of values.
final class ListReader: RowReader {
  private let values: [StoreValue]

  init(_ values: [StoreValue]) {
    self.values = values
    super.init(entity: StoreEntity(name: "Row", properties: []))
  }

  override func value(at index: Int) throws -> StoreValue {
    values.indices.contains(index) ? values[index] : .null
  }
}

/// Keeps what a model writes, by index.
final class ListWriter: RowWriter {
  private(set) var values: [Int: StoreValue] = [:]

  override func write(_ value: StoreValue, at index: Int) { values[index] = value }

  /// Every value that a model writes, in the order of its properties.
  static func values(of model: any PersistentModel) -> [StoreValue] {
    let writer = ListWriter()
    for index in 0..<type(of: model)._$count { model._$write(index, to: writer) }
    return (0..<type(of: model)._$count).map { writer.values[$0] ?? .null }
  }
}
