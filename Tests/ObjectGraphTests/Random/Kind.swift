import OpenSwiftData
import StoreTestSupport

/// A model of the fleet.
enum Kind: String, CaseIterable {
  case seafarer, deckhand, skipper, ship, port, pennant, log, berth

  /// The model that this one inherits from.
  var parent: Kind? {
    switch self {
    case .deckhand: .seafarer
    case .skipper: .deckhand
    default: nil
    }
  }

  /// Whether objects of this model are objects of another one.
  func isKind(of other: Kind) -> Bool { self == other || parent?.isKind(of: other) ?? false }

  /// The attributes, inherited ones first.
  var fields: [Field] { (parent?.fields ?? []) + Field.allCases.filter { $0.owner == self } }

  /// The relationships, inherited ones first.
  var links: [FleetLink] {
    (parent?.links ?? []) + FleetLink.allCases.filter { $0.shape.owner == self }
  }

  /// The attribute that no two objects share.
  var uniqueField: Field? { fields.first(where: \.isUnique) }

  /// The attribute that an object is given when it is made.
  var nameField: Field {
    switch self {
    case .seafarer, .deckhand, .skipper: .name
    case .ship: .shipName
    case .port: .portName
    case .pennant: .word
    case .log: .text
    case .berth: .label
    }
  }

  /// A new object outside of any context; a ship needs its port.
  func make(_ name: String, port: Port?) -> (any PersistentModel)? {
    switch self {
    case .seafarer: Seafarer(name: name)
    case .deckhand: Deckhand(name: name)
    case .skipper: Skipper(name: name)
    case .ship: port.map { Ship(name: name, port: $0) }
    case .port: Port(name: name)
    case .pennant: Pennant(word: name)
    case .log: LogEntry(text: name)
    case .berth: Berth(label: name)
    }
  }

  /// All objects of the model, and of those that inherit from it, in a context.
  func fetchAll(in context: ModelContext) throws -> [any PersistentModel] {
    switch self {
    case .seafarer: try context.all(Seafarer.self)
    case .deckhand: try context.all(Deckhand.self)
    case .skipper: try context.all(Skipper.self)
    case .ship: try context.all(Ship.self)
    case .port: try context.all(Port.self)
    case .pennant: try context.all(Pennant.self)
    case .log: try context.all(LogEntry.self)
    case .berth: try context.all(Berth.self)
    }
  }
}

extension ContainerFixture {
  /// A fixture for the fleet.
  convenience init(fleet kind: EveryStore) throws {
    try self.init(
      kind,
      for: Seafarer.self,
      Deckhand.self,
      Skipper.self,
      Ship.self,
      Port.self,
      Pennant.self,
      LogEntry.self,
      Berth.self
    )
  }
}
