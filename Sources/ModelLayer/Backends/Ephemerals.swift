import ModelRuntime
import StoreProtocol

/// The attributes of a schema that no store keeps, for reading rows that lack them.
struct Ephemerals: Sendable {
  /// The layouts of the entities that have any.
  private let layouts: [String: ModelLayout]

  /// Collects them, or returns `nil` if there are none, as in most schemas.
  init?(_ schema: Schema) {
    var layouts: [String: ModelLayout] = [:]
    for entity in schema.storeSchema.entities where entity.properties.contains(where: \.isEphemeral)
    {
      guard let type = schema.modelTypes[entity.name] else { continue }
      layouts[entity.name] = ModelLayout.of(type)
    }
    guard !layouts.isEmpty else { return nil }
    self.layouts = layouts
  }

  /// Returns a row with the initial values of attributes that its store does not keep.
  func filled(_ reader: RowReader) -> RowReader {
    layouts[reader.entity.name].map { FilledReader(reader, $0) } ?? reader
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
