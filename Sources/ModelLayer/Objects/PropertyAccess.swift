import StoreProtocol

/// Reads one property of any object, whatever its type.
final class ContentWriter: RowWriter {
  private(set) var content: PropertyContent = .value(.null)

  override func write(_ value: StoreValue, at index: Int) {
    content = .value(value)
  }

  override func write(_ model: (any PersistentModel)?, key: Int64, at index: Int) {
    if let model {
      content = .models([model])
    } else {
      content = key == 0 ? .models([]) : .fault(key)
    }
  }

  override func write(_ models: [any PersistentModel]?, at index: Int) {
    content = models.map(PropertyContent.models) ?? .fault(0)
  }

  /// What stands in a property; an attribute that was left out is loaded.
  static func content(of index: Int, in model: any PersistentModel) -> PropertyContent {
    if model._$state.flags.contains(.partial) {
      model.loadDeferred(index)
      if model.isUnloaded(index) { return .failure(UnloadedValue()) }
    }
    let writer = ContentWriter()
    model._$write(index, to: writer)
    if let failure = writer.failure { return .failure(failure.error) }
    return writer.content
  }
}

/// Reads relationships of objects, one after the other.
///
/// What ``ContentWriter`` gives takes a list for one object too; this takes none.
final class RelatedReader: RowWriter {
  /// The object of a to-one relationship.
  private(set) var target: (any PersistentModel)?
  /// The objects of a to-many relationship.
  private(set) var members: [any PersistentModel] = []
  private var isFault = false

  /// The objects of either.
  var objects: [any PersistentModel] { target.map { [$0] } ?? members }

  override func write(_ model: (any PersistentModel)?, key: Int64, at index: Int) {
    target = model
    isFault = model == nil && key != 0
  }

  override func write(_ models: [any PersistentModel]?, at index: Int) {
    members = models ?? []
    isFault = models == nil
  }

  /// Reads a relationship as it stands, and says whether it is loaded.
  func read(_ index: Int, of model: any PersistentModel) -> Bool {
    target = nil
    if !members.isEmpty { members = [] }
    isFault = true
    model._$write(index, to: self)
    return !isFault
  }
}

/// Writes one property of any object, whatever its type.
final class ContentReader: RowReader {
  private let content: PropertyContent

  private init(_ content: PropertyContent, entity: StoreEntity) {
    self.content = content
    super.init(entity: entity)
  }

  override func value(at index: Int) throws -> StoreValue {
    switch content {
    case .value(let value): return value
    case .models, .fault: return .null
    case .failure(let error): throw error
    }
  }

  override func reference(at index: Int) throws -> PersistentIdentifier.Key? {
    guard case .fault(let key) = content, key != 0 else { return nil }
    return .integer(key)
  }

  override func models(at index: Int) -> [any PersistentModel]? {
    guard case .models(let models) = content else { return nil }
    return models
  }

  /// Puts a content into a property without telling anybody.
  static func put(
    _ content: PropertyContent,
    into index: Int,
    of model: any PersistentModel,
    entity: StoreEntity = .unnamed
  ) throws {
    try model._$read(index, from: ContentReader(content, entity: entity))
  }
}

extension StoreEntity {
  /// Stands for an entity where only a place for messages is needed.
  static let unnamed = StoreEntity(name: "", properties: [])
}
