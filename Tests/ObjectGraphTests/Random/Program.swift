import OpenSwiftData
import StoreTestSupport

/// A program that carries out the steps on models, contexts and a store.
final class Program {
  private let fixture: ContainerFixture
  private var contexts: [Int: ModelContext] = [:]
  private var container: ModelContainer?
  private var number = 0
  /// The objects of each context by their numbers.
  private var models: [Int: [Int: any PersistentModel]] = [:]
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var loose: [Int: any PersistentModel] = [:]
  /// The identities of saved objects.
  private var identifiers: [Int: PersistentIdentifier] = [:]
  private var numbersByIdentifier: [PersistentIdentifier: Int] = [:]
  private var ended: [any PersistentModel] = []

  init(_ store: EveryStore) throws {
    fixture = try ContainerFixture(fleet: store)
    try open()
  }

  private func open() throws {
    let container = try fixture.open()
    for number in 0...1 { contexts[number] = ModelContext(container) }
    self.container = container
  }

  /// The context of the moment.
  var context: ModelContext {
    guard let context = contexts[number] else { preconditionFailure("There is no such context.") }
    return context
  }

  /// The object of a number.
  func model(_ object: Int) throws -> any PersistentModel {
    if let model = loose[object] ?? models[number]?[object] { return model }
    guard let identifier = identifiers[object] else {
      throw Difference("object \(object) has no identity")
    }
    let model = context.model(for: identifier)
    guard model.modelContext != nil, !model.isDeleted else {
      throw Difference("object \(object), \(identifier), is not to be found")
    }
    hold(model, as: object)
    return model
  }

  private func hold(_ model: any PersistentModel, as object: Int) {
    models[number, default: [:]][object] = model
    numbers[ObjectIdentifier(model)] = object
  }

  /// The number of an object, which must be the one object of its identity.
  func number(of model: any PersistentModel) throws -> Int {
    if let known = numbers[ObjectIdentifier(model)] {
      if models[number]?[known] === model || loose[known] === model { return known }
      throw Difference("object \(known) of another time or context")
    }
    guard let object = numbersByIdentifier[model.persistentModelID] else {
      throw Difference("an unknown object, \(model.persistentModelID)")
    }
    if let other = models[number]?[object], other !== model {
      throw Difference("two objects for \(model.persistentModelID)")
    }
    hold(model, as: object)
    return object
  }

  /// The objects of a relationship, without those that are deleted.
  func list(_ link: FleetLink, of model: any PersistentModel) throws -> [Int] {
    try link.access.read(model).filter { !$0.isDeleted }.map(number(of:))
  }
}

// Changes.
extension Program {
  /// Carries out a step that changes objects.
  func edit(_ step: Step) throws {
    switch step {
    case .make(let object, let kind, let port): try make(object, kind, port)
    case .insert(let object): context.insert(try model(object))
    case .set(let object, let field, let value): field.set(value, of: try model(object))
    case .link(let object, let link, let other):
      try link.access.assign(model(object), other.map { [try model($0)] } ?? [])
    case .add(let object, let link, let other, let next):
      try link.access.insert(model(object), model(other), next.map(model))
    case .remove(let object, let link, let other):
      try link.access.remove(model(object), model(other))
    case .replace(let object, let link, let others):
      try link.access.assign(model(object), others.map(model))
    case .reverse(let object, let link):
      let model = try model(object)
      link.access.assign(model, link.access.read(model).reversed())
    case .delete(let object): context.delete(try model(object))
    case .deleteAll(let question): try question.delete(in: context)
    default: break
    }
  }

  private func make(_ object: Int, _ kind: Kind, _ port: Int?) throws {
    let port = try port.flatMap { try model($0) as? Port }
    guard let made = kind.make(Field.name(object), port: port) else {
      throw Difference("\(kind) \(object) cannot be made")
    }
    loose[object] = made
    numbers[ObjectIdentifier(made)] = object
    if port != nil { context.insert(made) }
  }

  /// Notes which objects belong to the context now.
  func adopt(_ inserted: [Int]) {
    for object in inserted {
      guard let model = loose.removeValue(forKey: object) else { continue }
      hold(model, as: object)
    }
  }

  /// Notes the identities of what was saved, and that objects ended.
  func settle(_ saved: [Int], ended: [Int]) throws {
    for object in saved {
      guard let model = models[number]?[object] else { continue }
      let identifier = model.persistentModelID
      if identifier.isTemporary { throw Difference("object \(object) is saved and temporary") }
      if let other = numbersByIdentifier.updateValue(object, forKey: identifier), other != object {
        throw Difference("objects \(other) and \(object) have one identity, \(identifier)")
      }
      identifiers[object] = identifier
    }
    for object in ended { end(object) }
  }

  /// Notes that an object is of no use any more; what is left of it can be read.
  func end(_ object: Int) {
    for number in models.keys {
      if let model = models[number]?.removeValue(forKey: object) { self.ended.append(model) }
    }
    if let model = loose.removeValue(forKey: object) { self.ended.append(model) }
  }

  /// Lets go of all objects.
  func evict() {
    for model in (models[number] ?? [:]).values where !model.hasChanges {
      numbers[ObjectIdentifier(model)] = nil
    }
    models[number] = models[number]?.filter { $0.value.hasChanges }
    for model in ended { numbers[ObjectIdentifier(model)] = nil }
    ended = []
    context.evictUnused()
  }

  /// Goes to another context.
  func go(to other: Int) throws {
    // Values that were set to what they were count as changes, and change nothing.
    if context.hasChanges { try context.save() }
    number = other
  }

  /// Closes the store and opens it again.
  func reopen() throws {
    contexts = [:]
    models = [:]
    numbers = [:]
    loose = [:]
    ended = []
    number = 0
    container = nil
    try open()
  }

  /// Another program that looks at the same store.
  func withFreshContext(_ body: (Program) throws -> Void) throws {
    let before = number
    number = -1
    contexts[-1] = container.map { ModelContext($0) }
    defer {
      for model in (models[-1] ?? [:]).values { numbers[ObjectIdentifier(model)] = nil }
      models[-1] = nil
      contexts[-1] = nil
      number = before
    }
    try body(self)
  }
}

// What can be read.
extension Program {
  /// The objects of a model, as a fetch gives them.
  func fetch(_ kind: Kind) throws -> [Int] {
    try kind.fetchAll(in: context).map(number(of:))
  }

  /// Objects in the order in which a fetch gives them that nothing orders.
  func ordered(_ objects: [Int]) throws -> [Int] {
    let new = try context.insertedModelsArray.map(number(of:))
    let stored = objects.filter { !new.contains($0) }.sorted { first, second in
      guard let first = identifiers[first], let second = identifiers[second] else { return false }
      return first < second
    }
    return stored + new.filter(objects.contains)
  }

  /// Whether an object has an identity.
  func isSaved(_ object: Int) -> Bool { identifiers[object] != nil }

  /// Reads all that is left of objects that ended.
  func readEnded() {
    for model in ended {
      for kind in Kind.allCases {
        for field in kind.fields { _ = field.text(of: model) }
        for link in kind.links { _ = link.access.read(model).map(\.isDeleted) }
      }
    }
  }

  /// Returns the identifier of the object with a number.
  func identifier(_ object: Int) throws -> PersistentIdentifier {
    try identifiers[object] ?? model(object).persistentModelID
  }
}

/// What the program did that the oracle does not expect.
struct Difference: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
