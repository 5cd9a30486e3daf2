import ModelRuntime
import StoreProtocol

/// The attributes of a schema that no store keeps, for reading rows that lack them.
struct Ephemerals {
  private let types: [String: any PersistentModel.Type]
  /// The layouts of the entities that have any, or `nil` for those that have none.
  private var layouts: [String: ModelLayout?] = [:]

  /// Creates them for one read.
  init(_ schema: Schema) {
    types = schema.modelTypes
  }

  /// Returns a row with the initial values of attributes that its store does not keep.
  mutating func filled(_ reader: RowReader) -> RowReader {
    let layout = layouts[reader.entity.name] ?? layout(of: reader.entity)
    return layout.map { FilledReader(reader, $0) } ?? reader
  }

  private mutating func layout(of entity: StoreEntity) -> ModelLayout? {
    let type = entity.properties.contains(where: \.isEphemeral) ? types[entity.name] : nil
    let layout = type.map(ModelLayout.of)
    layouts[entity.name] = .some(layout)
    return layout
  }
}

/// A row in which attributes that no store keeps have the initial values of their declarations.
private final class FilledReader: RowReader {
  private let base: RowReader
  private let initial: PlaceholderReader

  init(_ base: RowReader, _ layout: ModelLayout) {
    self.base = base
    initial = PlaceholderReader(layout: layout, entity: base.entity)
    super.init(entity: base.entity)
    identifier = base.identifier
  }

  private func isFilled(_ index: Int) -> Bool {
    entity.properties.indices.contains(index) && entity.properties[index].isEphemeral
  }

  override var version: Int64 { base.version }

  override func isDeferred(at index: Int) -> Bool { !isFilled(index) && base.isDeferred(at: index) }

  override func value(at index: Int) throws -> StoreValue {
    try isFilled(index) ? initial.value(at: index) : base.value(at: index)
  }

  override func reference(at index: Int) throws -> PersistentIdentifier.Key? {
    try base.reference(at: index)
  }

  override func models(at index: Int) -> ArraySlice<any PersistentModel>? { base.models(at: index) }
}
