import OpenSwiftData

/// A relationship of the fleet's models.
enum FleetLink: String, CaseIterable {
  case ship, formerShip, pennants, mentor, pupils, friend
  case berth
  case command
  case port, crew, veterans, captain, route, home
  case ships, logs
  case bearers
  case host, bow, stern, shown, front, back
  case place, parts, parent, seeAlso
  case sailor

  /// What becomes of the other end when an object is deleted.
  enum Rule {
    case nullify, cascade, deny, noAction
  }

  /// What a relationship is like.
  struct Shape {
    /// The model that declares it.
    let owner: Kind
    /// The model that it leads to.
    let target: Kind
    /// The same relationship seen from the other end.
    var inverse: FleetLink?
    /// Whether it leads to many objects.
    var isToMany = false
    /// What becomes of the other end.
    var rule = Rule.nullify
    /// The relationship that this one and others name as their inverse.
    var claimed: FleetLink?
    /// The relationships that name this one as their inverse.
    var claims: [FleetLink] = []
    /// Whether there must be an object.
    var isRequired = false
  }

  /// What the relationship is like.
  var shape: Shape {
    switch self {
    case .ship: Shape(owner: .seafarer, target: .ship, inverse: .crew)
    case .formerShip: Shape(owner: .seafarer, target: .ship, inverse: .veterans)
    case .pennants: Shape(owner: .seafarer, target: .pennant, inverse: .bearers, isToMany: true)
    case .mentor: Shape(owner: .seafarer, target: .seafarer, inverse: .pupils)
    case .pupils: Shape(owner: .seafarer, target: .seafarer, inverse: .mentor, isToMany: true)
    case .friend: Shape(owner: .seafarer, target: .seafarer)
    case .berth: Shape(owner: .deckhand, target: .berth, inverse: .sailor, rule: .cascade)
    case .command: Shape(owner: .skipper, target: .ship, inverse: .captain)
    case .port: Shape(owner: .ship, target: .port, inverse: .ships, isRequired: true)
    case .crew:
      Shape(owner: .ship, target: .seafarer, inverse: .ship, isToMany: true, rule: .cascade)
    case .veterans: Shape(owner: .ship, target: .seafarer, inverse: .formerShip, isToMany: true)
    case .captain: Shape(owner: .ship, target: .skipper, inverse: .command)
    case .route: Shape(owner: .ship, target: .port, isToMany: true)
    case .home: Shape(owner: .ship, target: .port)
    case .ships: Shape(owner: .port, target: .ship, inverse: .port, isToMany: true, rule: .deny)
    case .logs: Shape(owner: .port, target: .log, inverse: .place, isToMany: true, rule: .noAction)
    case .bearers: Shape(owner: .pennant, target: .seafarer, inverse: .pennants, isToMany: true)
    case .host: Shape(owner: .seafarer, target: .ship, claims: [.bow, .stern])
    case .bow, .stern: Shape(owner: .ship, target: .seafarer, isToMany: true, claimed: .host)
    case .shown: Shape(owner: .port, target: .pennant, isToMany: true, claims: [.front, .back])
    case .front, .back: Shape(owner: .pennant, target: .port, claimed: .shown)
    case .place: Shape(owner: .log, target: .port, inverse: .logs)
    case .parts: Shape(owner: .log, target: .log, inverse: .parent, isToMany: true, rule: .cascade)
    case .parent: Shape(owner: .log, target: .log, inverse: .parts)
    case .seeAlso: Shape(owner: .log, target: .log, isToMany: true)
    case .sailor: Shape(owner: .berth, target: .deckhand, inverse: .berth)
    }
  }

  /// How the relationship is read and written.
  var access: LinkAccess {
    switch self {
    case .ship: LinkAccess(toOne: \Seafarer.ship)
    case .formerShip: LinkAccess(toOne: \Seafarer.formerShip)
    case .pennants: LinkAccess(toMany: \Seafarer.pennants)
    case .mentor: LinkAccess(toOne: \Seafarer.mentor)
    case .pupils: LinkAccess(toMany: \Seafarer.pupils)
    case .friend: LinkAccess(toOne: \Seafarer.friend)
    case .berth: LinkAccess(toOne: \Deckhand.berth)
    case .command: LinkAccess(toOne: \Skipper.command)
    case .port: LinkAccess(required: \Ship.port)
    case .crew: LinkAccess(toMany: \Ship.crew)
    case .veterans: LinkAccess(toMany: \Ship.veterans)
    case .captain: LinkAccess(toOne: \Ship.captain)
    case .route: LinkAccess(toMany: \Ship.route)
    case .home: LinkAccess(toOne: \Ship.home)
    case .ships: LinkAccess(toMany: \Port.ships)
    case .logs: LinkAccess(toMany: \Port.logs)
    case .bearers: LinkAccess(toMany: \Pennant.bearers)
    case .host: LinkAccess(toOne: \Seafarer.host)
    case .bow: LinkAccess(toMany: \Ship.bow)
    case .stern: LinkAccess(toManyOrNil: \Ship.stern)
    case .shown: LinkAccess(toMany: \Port.shown)
    case .front: LinkAccess(toOne: \Pennant.front)
    case .back: LinkAccess(toOne: \Pennant.back)
    case .place: LinkAccess(toOne: \LogEntry.place)
    case .parts: LinkAccess(toMany: \LogEntry.parts)
    case .parent: LinkAccess(toOne: \LogEntry.parent)
    case .seeAlso: LinkAccess(toManyOrNil: \LogEntry.seeAlso)
    case .sailor: LinkAccess(toOne: \Berth.sailor)
    }
  }
}

/// How a relationship of any object is read and written, by the properties that programs use.
struct LinkAccess {
  /// The objects.
  let read: (any PersistentModel) -> [any PersistentModel]
  /// Sets a relationship to one, or replaces the array of one to many.
  let assign: (any PersistentModel, [any PersistentModel]) -> Void
  /// Puts an object into the array before another one, or at the end.
  let insert: (any PersistentModel, any PersistentModel, (any PersistentModel)?) -> Void
  /// Takes an object out of the array.
  let remove: (any PersistentModel, any PersistentModel) -> Void

  init<Owner: PersistentModel, Target: PersistentModel>(
    toOne path: ReferenceWritableKeyPath<Owner, Target?>
  ) {
    read = { model in (model as? Owner)?[keyPath: path].map { [$0] } ?? [] }
    assign = { model, others in (model as? Owner)?[keyPath: path] = others.first as? Target }
    insert = { _, _, _ in }
    remove = { _, _ in }
  }

  init<Owner: PersistentModel, Target: PersistentModel>(
    required path: ReferenceWritableKeyPath<Owner, Target>
  ) {
    read = { model in (model as? Owner).map { [$0[keyPath: path]] } ?? [] }
    assign = { model, others in
      if let other = others.first as? Target { (model as? Owner)?[keyPath: path] = other }
    }
    insert = { _, _, _ in }
    remove = { _, _ in }
  }

  init<Owner: PersistentModel, Target: PersistentModel>(
    toMany path: ReferenceWritableKeyPath<Owner, [Target]>
  ) {
    read = { model in (model as? Owner)?[keyPath: path] ?? [] }
    assign = { model, others in
      (model as? Owner)?[keyPath: path] = others.compactMap { $0 as? Target }
    }
    insert = { model, other, next in
      guard let model = model as? Owner, let other = other as? Target else { return }
      if let position = model[keyPath: path].firstIndex(where: { $0 === next }) {
        model[keyPath: path].insert(other, at: position)
      } else {
        model[keyPath: path].append(other)
      }
    }
    remove = { model, other in (model as? Owner)?[keyPath: path].removeAll { $0 === other } }
  }

  init<Owner: PersistentModel, Target: PersistentModel>(
    toManyOrNil path: ReferenceWritableKeyPath<Owner, [Target]?>
  ) {
    read = { model in (model as? Owner)?[keyPath: path] ?? [] }
    assign = { model, others in
      (model as? Owner)?[keyPath: path] = others.compactMap { $0 as? Target }
    }
    insert = { model, other, next in
      guard let model = model as? Owner, let other = other as? Target else { return }
      var list = model[keyPath: path] ?? []
      list.insert(other, at: list.firstIndex { $0 === next } ?? list.endIndex)
      model[keyPath: path] = list
    }
    remove = { model, other in
      guard let model = model as? Owner else { return }
      model[keyPath: path] = (model[keyPath: path] ?? []).filter { $0 !== other }
    }
  }
}
