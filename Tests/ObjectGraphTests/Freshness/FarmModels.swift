import Foundation
import OpenSwiftData

// The models of the random programs in several contexts: each way in which stores keep a
// relationship, and values that stores may keep outside of rows.

@Model
final class Farmer {
  @Attribute(.unique) var name: String
  var age = 0
  @Attribute(.externalStorage) var portrait: Data?
  @Relationship(deleteRule: .cascade, inverse: \Animal.farmer) var animals: [Animal] = []
  @Relationship(deleteRule: .deny, inverse: \Debt.farmer) var debts: [Debt] = []
  @Relationship(inverse: \Stall.farmer) var stall: Stall?
  @Relationship(inverse: \Medal.farmers) var medals: [Medal] = []
  @Relationship(inverse: nil) var favorites: [Animal] = []
  @Relationship(inverse: nil) var best: Animal?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Animal {
  var weight: Int
  @Attribute(.externalStorage) var photo: Data?
  var farmer: Farmer?

  init(_ weight: Int) {
    self.weight = weight
  }
}

@Model
final class Debt {
  var sum: Int
  var farmer: Farmer?

  init(_ sum: Int) {
    self.sum = sum
  }
}

@Model
final class Stall {
  var number: Int
  var farmer: Farmer?

  init(_ number: Int) {
    self.number = number
  }
}

@Model
final class Medal {
  var word: String
  var farmers: [Farmer] = []

  init(_ word: String) {
    self.word = word
  }
}

/// A model of the farm.
enum FarmKind: String, CaseIterable {
  case farmer, animal, debt, stall, medal

  /// All objects of the model in a context, unsaved changes included.
  func all(in context: ModelContext) throws -> [any PersistentModel] {
    switch self {
    case .farmer: try context.all(Farmer.self)
    case .animal: try context.all(Animal.self)
    case .debt: try context.all(Debt.self)
    case .stall: try context.all(Stall.self)
    case .medal: try context.all(Medal.self)
    }
  }

  /// The model of an object.
  init(of model: any PersistentModel) {
    switch model {
    case is Farmer: self = .farmer
    case is Animal: self = .animal
    case is Debt: self = .debt
    case is Stall: self = .stall
    default: self = .medal
    }
  }
}

/// What an object shows in one of its properties.
enum FarmValue {
  case attribute(String)
  case one((any PersistentModel)?)
  case many([any PersistentModel])
}

extension FarmKind {
  /// What an object shows in each of its properties.
  static func values(of model: any PersistentModel) -> [(property: String, value: FarmValue)] {
    switch model {
    case let farmer as Farmer:
      [
        ("name", .attribute(farmer.name)), ("age", .attribute("\(farmer.age)")),
        ("portrait", .attribute(text(farmer.portrait))), ("animals", .many(farmer.animals)),
        ("debts", .many(farmer.debts)), ("stall", .one(farmer.stall)),
        ("medals", .many(farmer.medals)), ("favorites", .many(farmer.favorites)),
        ("best", .one(farmer.best)),
      ]
    case let animal as Animal:
      [
        ("weight", .attribute("\(animal.weight)")), ("photo", .attribute(text(animal.photo))),
        ("farmer", .one(animal.farmer)),
      ]
    case let debt as Debt: [("sum", .attribute("\(debt.sum)")), ("farmer", .one(debt.farmer))]
    case let stall as Stall:
      [("number", .attribute("\(stall.number)")), ("farmer", .one(stall.farmer))]
    case let medal as Medal:
      [("word", .attribute(medal.word)), ("farmers", .many(medal.farmers))]
    default: []
    }
  }

  private static func text(_ data: Data?) -> String {
    data.map { "\($0.count) bytes of \($0.first ?? 0)" } ?? "nil"
  }
}
