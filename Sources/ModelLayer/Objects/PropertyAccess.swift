import StoreProtocol

/// Reads one property of any object, whatever its type.
final class PropertyReader: RowWriter {
  private var content: PropertyContent = .value(.null)
  private var isReading = false

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

  /// Returns the content of a property; an attribute that was left out is loaded.
  static func content(of index: Int, in model: any PersistentModel) -> PropertyContent {
    PropertyReader().content(of: index, in: model)
  }

  /// Returns the content of a property, for callers that read many with one reader.
  func content(of index: Int, in model: any PersistentModel) -> PropertyContent {
    // Encoding a value runs code of the program, which may call this method again.
    if isReading { return Self.content(of: index, in: model) }
    if model._$state.flags.contains(.partial) {
      model.loadDeferred(index)
      if model.isUnloaded(index) { return .failure(UnloadedValue()) }
    }
    isReading = true
    defer {
      isReading = false
      content = .value(.null)
      failure = nil
    }
    model._$write(index, to: self)
    if case .fault(.min) = content, let reference = model.existingExtra?.references[index] {
      content = .reference(reference)
    }
    return failure.map { .failure($0.error) } ?? content
  }
}

extension PersistentModel {
  /// Returns the objects of a relationship, or none if it is not loaded.
  func loadedObjects(at index: Int) -> [any PersistentModel] {
    guard case .models(let models) = PropertyReader.content(of: index, in: self) else { return [] }
    return models
  }
}

/// Reads relationships of objects, one after the other.
///
/// A result of ``PropertyReader`` needs a list even for one object; this needs none.
final class RelationshipReader: RowWriter {
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

  /// Releases the objects that were read last.
  func clear() {
    target = nil
    if !members.isEmpty { members = [] }
  }

  /// Reads a relationship in its current state, and returns whether it is loaded.
  func read(_ index: Int, of model: any PersistentModel) -> Bool {
    clear()
    isFault = true
    model._$write(index, to: self)
    return !isFault
  }
}

/// Sets properties of objects, whatever their types, without notifying observers.
final class PropertySetter: RowReader {
  private var content: PropertyContent = .value(.null)
  private var members: ArraySlice<any PersistentModel>?

  override func value(at index: Int) throws -> StoreValue {
    switch content {
    case .value(let value): return value
    case .models, .fault, .reference: return .null
    case .failure(let error): throw error
    }
  }

  override func reference(at index: Int) throws -> PersistentIdentifier.Key? {
    switch content {
    case .reference: .integer(.min)
    case .fault(let key) where key != 0: .integer(key)
    default: nil
    }
  }

  override func models(at index: Int) -> ArraySlice<any PersistentModel>? { members }

  /// Sets the content of a property.
  static func put(
    _ content: PropertyContent,
    into index: Int,
    of model: any PersistentModel,
    entity: StoreEntity = .unnamed
  ) throws {
    if case .reference(let identifier) = content { model.modelExtra.references[index] = identifier }
    model.forgetEditedArray(at: index)
    model.keepOriginal(of: index) { model.loadedObjects(at: index) }
    let setter = PropertySetter(entity: entity)
    setter.content = content
    if case .models(let models) = content { setter.members = models[...] }
    try model._$read(index, from: setter)
  }

  /// Sets the objects of a relationship, for callers that set many with one setter.
  func put(
    _ members: ArraySlice<any PersistentModel>,
    into index: Int,
    of model: any PersistentModel
  ) throws {
    self.members = members
    try model._$read(index, from: self)
  }
}

/// Checks whether relationships of objects are loaded, one after the other.
final class FaultProbe: RowWriter {
  override init() {
    super.init()
    probesFaults = true
  }

  /// Returns the key of a to-one relationship that is not loaded, 0 for a to-many one, or `nil` if
  /// it is loaded.
  func fault(at index: Int, of model: any PersistentModel) -> Int64? {
    faultKey = nil
    model._$write(index, to: self)
    return faultKey
  }
}
