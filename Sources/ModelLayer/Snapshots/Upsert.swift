import ModelRuntime
import StoreProtocol

/// Updates objects of a context to the values of snapshots.
struct Upsert {
  /// The object from whose relationship a snapshot was reached, and the relationship that refers
  /// back to it.
  struct Origin {
    let model: any PersistentModel
    let inverse: Int
  }

  private let context: ContextState
  private var finding: SnapshotFinding
  /// The objects through which the current one was reached.
  private var path: [any PersistentModel] = []

  /// Reads all objects that records name, and checks the records before anything is changed.
  init(_ records: [SnapshotRecord], in context: ContextState) throws {
    self.context = context
    finding = SnapshotFinding(in: context)
    context.feed.applySavesOfOthers()
    context.processPendingChanges()
    var identifiers: Set<PersistentIdentifier> = []
    for record in records { try record.check(&identifiers) }
    try finding.read(identifiers)
  }

  mutating func model<Model>(
    for snapshot: ModelSnapshot<Model>,
    isNew: Bool = false
  ) throws -> Model {
    let model = try upsert(snapshot.record, from: nil, isNew: isNew)
    guard let typed = model as? Model else {
      throw Self.unfit(snapshot.record, "\(model.persistentModelID) is not a \(Model.self)")
    }
    return typed
  }

  /// Updates a given object to the values of a snapshot.
  mutating func update(_ model: any PersistentModel, to record: SnapshotRecord) throws {
    if let identifier = record.identifier, identifier != model.persistentModelID {
      throw Self.unfit(
        record,
        "the snapshot is of \(identifier), not of \(model.persistentModelID)"
      )
    }
    _ = try upsert(record, from: nil, into: model)
  }

  private mutating func upsert(
    _ given: SnapshotRecord,
    from origin: Origin?,
    isNew: Bool = false,
    into chosen: (any PersistentModel)? = nil
  ) throws -> any PersistentModel {
    var record = given
    guard let registration = context.registration(for: record.layout.type) else {
      throw Self.unfit(record, "the container's schema lacks this model")
    }
    var existing = isNew ? nil : chosen ?? finding.model(identifiedBy: record)
    if record.contents.allSatisfy({ $0 == .absent }) {
      if let existing { return existing }
      if let identifier = record.identifier {
        throw Self.unfit(record, "\(identifier) is not stored; omit the reference")
      }
    }
    if let existing { path.append(existing) }
    let targets = try targets(of: record, of: existing, in: registration)
    if existing != nil { path.removeLast() }
    if existing == nil, !isNew {
      if record.identifier?.isTemporary == false {
        try StaleSnapshot.checkGone(record, in: context)
      }
      existing = try finding.model(like: record, targets, registration)
    }
    let model: any PersistentModel
    if let existing {
      model = existing
      guard let resolved = try StaleSnapshot.resolved(record, of: existing, in: context) else {
        return existing
      }
      record = resolved
      try update(existing, to: record, targets)
    } else {
      model = try make(record, targets, in: registration)
    }
    try updateMembers(of: model, with: record, from: origin)
    finding.note(model)
    return model
  }

  /// Returns the objects of to-one relationships; an empty list clears the relationship.
  private mutating func targets(
    of record: SnapshotRecord,
    of model: (any PersistentModel)?,
    in registration: EntityRegistration
  ) throws -> [Int: [any PersistentModel]] {
    var targets: [Int: [any PersistentModel]] = [:]
    for (index, property) in record.layout.properties.enumerated()
    where property.shape?.isToMany == false {
      switch record.contents[index] {
      case .objects(let records):
        let origin = model.flatMap { Self.origin($0, index, in: registration) }
        targets[index] = try records.prefix(1).map { try upsert($0, from: origin) }
      case .unfollowed(let identifiers) where model == nil:
        // A new object is related again to the objects that still exist.
        let found = try identifiers.compactMap { try finding.model(stored: $0) }
        if !found.isEmpty { targets[index] = found }
      case .absent, .value, .refused, .unfollowed: continue
      }
    }
    return targets
  }

  private func make(
    _ record: SnapshotRecord,
    _ targets: [Int: [any PersistentModel]],
    in registration: EntityRegistration
  ) throws -> any PersistentModel {
    for (index, property) in record.layout.properties.enumerated() {
      guard record.contents[index] == .absent, property.shape == nil,
        property.metadata.makeDefault == nil,
        !(type(of: property.keyPath).valueType is any OptionalType.Type)
      else { continue }
      throw Self.unfit(
        record,
        "the snapshot lacks a value that a new object requires",
        property.name
      )
    }
    let row = SnapshotRow(
      record,
      targets: targets.compactMapValues(\.first),
      entity: registration.entity
    )
    let model = try record.layout.type.init(_$row: row)
    context.insertGraph(model)
    return model
  }

  private func update(
    _ model: any PersistentModel,
    to record: SnapshotRecord,
    _ targets: [Int: [any PersistentModel]]
  ) throws {
    let layout = ModelLayout.of(type(of: model))
    guard layout.inherits(from: record.layout) else {
      throw Self.unfit(record, "\(model.persistentModelID) is an object of another model")
    }
    if model._$state.flags.contains(.deleted) { context.insert(model) }
    for (index, property) in record.layout.properties.enumerated() {
      if case .value(let wanted) = record.contents[index] {
        property.read(on: model)
        let own = layout.index(named: property.name) ?? index
        if case .value(wanted) = PropertyReader.content(of: own, in: model) { continue }
        try property.set(wanted, on: model)
      } else if case .objects = record.contents[index], let target = targets[index] {
        property.read(on: model)
        let current = model.loadedObjects(at: index)
        if current.map(ObjectIdentifier.init) == target.map(ObjectIdentifier.init) { continue }
        try property.relate(target, on: model)
      }
    }
  }

  private mutating func updateMembers(
    of model: any PersistentModel,
    with record: SnapshotRecord,
    from origin: Origin?
  ) throws {
    guard let registration = model.registration else { return }
    for (index, property) in record.layout.properties.enumerated() {
      guard property.shape?.isToMany == true, case .objects(let records) = record.contents[index]
      else { continue }
      let origins = Self.origin(model, index, in: registration)
      path.append(model)
      var wanted = try records.map { try upsert($0, from: origins) }
      path.removeLast()
      property.read(on: model)
      let current = model.loadedObjects(at: index)
      if let origin, origin.inverse == index { Self.keep(origin.model, in: &wanted, as: current) }
      // Without identifiers a list cannot name the objects through which it was reached.
      for passed in path where record.identifier == nil {
        guard current.contains(where: { $0 === passed }) else { continue }
        Self.keep(passed, in: &wanted, as: current)
      }
      var seen: Set<ObjectIdentifier> = []
      wanted = wanted.filter { seen.insert(ObjectIdentifier($0)).inserted }
      if current.map(ObjectIdentifier.init) == wanted.map(ObjectIdentifier.init) { continue }
      try property.relate(wanted, on: model)
    }
  }

  /// Keeps an object in a relationship, since the path through it implies that it belongs there.
  private static func keep(
    _ model: any PersistentModel,
    in wanted: inout [any PersistentModel],
    as current: [any PersistentModel]
  ) {
    guard !wanted.contains(where: { $0 === model }) else { return }
    let index = current.firstIndex { $0 === model } ?? wanted.count
    wanted.insert(model, at: min(index, wanted.count))
  }

  private static func origin(
    _ model: any PersistentModel,
    _ index: Int,
    in registration: EntityRegistration
  ) -> Origin? {
    registration.inverses[index].map { Origin(model: model, inverse: $0) }
  }

  private static func unfit(
    _ record: SnapshotRecord,
    _ reason: String,
    _ property: String? = nil
  ) -> SwiftDataError {
    .modelValidationFailure.with(reason, entity: record.layout.entityName, property: property)
  }
}

extension SnapshotRecord {
  /// Collects the identifiers of this and all nested objects.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` for a value that cannot be encoded, and for
  ///   objects that nest deeper than 64 levels.
  fileprivate func check(_ identifiers: inout Set<PersistentIdentifier>, depth: Int = 0) throws {
    guard depth <= Self.depthLimit else {
      throw SwiftDataError.modelValidationFailure.with(
        "the objects of the snapshot nest deeper than 64 levels",
        entity: layout.entityName
      )
    }
    if let identifier { identifiers.insert(identifier) }
    for (index, content) in contents.enumerated() {
      switch content {
      case .absent, .value, .unfollowed: continue
      case .refused(let reason):
        throw SwiftDataError.modelValidationFailure.with(
          "the value cannot be encoded: \(reason)",
          entity: layout.entityName,
          property: layout.properties[index].name
        )
      case .objects(let records):
        for record in records { try record.check(&identifiers, depth: depth + 1) }
      }
    }
  }
}
