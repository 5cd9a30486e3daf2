import Foundation
import OpenSwiftData

extension FarmWorld {
  /// Carries out a step that changes objects.
  func edit(_ step: FarmStep) throws {
    switch step.action {
    case .farmer, .animal, .debt, .stall, .medal: make(step)
    case .name, .age, .portrait, .weight, .photo, .sum, .number, .word: set(step)
    case .owner, .debtor, .occupant, .best: refer(step)
    case .delete, .deleteFarmer:
      let model = step.action == .delete ? any(step.first) : pick(Farmer.self, step.first)
      if let model { context.delete(model) }
    case .deleteWhere:
      let weight = step.first
      try context.delete(model: Animal.self, where: #Predicate { $0.weight == weight })
    case .updateWhere:
      let (weight, next) = (step.first, step.second)
      try context.update(
        model: Animal.self,
        where: #Predicate { $0.weight == weight },
        set: .set(\.weight, to: next)
      )
    case .deleteFarmers:
      let age = step.first
      try context.delete(model: Farmer.self, where: #Predicate { $0.age == age })
    case .updateFarmers:
      let age = step.first
      try context.update(
        model: Farmer.self,
        where: #Predicate { $0.age == age },
        set: .set(\.portrait, to: data(step.second)),
        .set(\.age, to: #Expression { $0.age + 1 })
      )
    default: try list(step)
    }
  }

  private func make(_ step: FarmStep) {
    let model: any PersistentModel =
      switch step.action {
      case .farmer: Farmer("n\(step.first)")
      case .animal: Animal(step.first)
      case .debt: Debt(step.first)
      case .stall: Stall(step.first)
      default: Medal("w\(step.first)")
      }
    context.insert(model)
    hold(model)
    let farmer = step.second > 2 ? pick(Farmer.self, step.second) : nil
    switch model {
    case let model as Farmer: model.portrait = data(step.second)
    case let model as Animal: model.farmer = farmer
    case let model as Debt: model.farmer = farmer
    default: break
    }
  }

  /// A value that stores keep in the row, or in a file, or nil.
  private func data(_ number: Int) -> Data? {
    number == 0 ? nil : Data(repeating: UInt8(number), count: number % 2 == 0 ? 3 : 20_000)
  }

  private func set(_ step: FarmStep) {
    let (first, second) = (step.first, step.second)
    switch step.action {
    case .name: pick(Farmer.self, first)?.name = "n\(second)"
    case .age: pick(Farmer.self, first)?.age = second
    case .portrait: pick(Farmer.self, first)?.portrait = data(second)
    case .weight: pick(Animal.self, first)?.weight = second
    case .photo: pick(Animal.self, first)?.photo = data(second)
    case .sum: pick(Debt.self, first)?.sum = second
    case .number: pick(Stall.self, first)?.number = second
    default: pick(Medal.self, first)?.word = "w\(second)"
    }
  }

  private func refer(_ step: FarmStep) {
    let farmer = step.second == 0 ? nil : pick(Farmer.self, step.second)
    switch step.action {
    case .owner: pick(Animal.self, step.first)?.farmer = farmer
    case .debtor: pick(Debt.self, step.first)?.farmer = farmer
    case .occupant: pick(Stall.self, step.first)?.farmer = farmer
    default: pick(Farmer.self, step.first)?.best = pick(Animal.self, step.second)
    }
  }

  private func list(_ step: FarmStep) throws {
    guard let farmer = pick(Farmer.self, step.first) else { return }
    let animal = pick(Animal.self, step.second)
    switch step.action {
    case .addAnimal: if let animal { add(animal, to: \.animals, of: farmer) }
    case .removeAnimal: try remove(step.second, from: \.animals, of: farmer)
    case .setAnimals: farmer.animals = animal.map { [$0] } ?? []
    case .reverseAnimals: farmer.animals.reverse()
    case .addMedal:
      if let medal = pick(Medal.self, step.second) { add(medal, to: \.medals, of: farmer) }
    case .removeMedal: try remove(step.second, from: \.medals, of: farmer)
    case .setFarmers: pick(Medal.self, step.second)?.farmers = [farmer]
    case .addFavorite: if let animal { add(animal, to: \.favorites, of: farmer) }
    case .removeFavorite: try remove(step.second, from: \.favorites, of: farmer)
    default: farmer.favorites = animal.map { [$0] } ?? []
    }
  }

  private func add<T: PersistentModel>(
    _ model: T,
    to list: ReferenceWritableKeyPath<Farmer, [T]>,
    of farmer: Farmer
  ) {
    if !farmer[keyPath: list].contains(where: { $0 === model }) {
      farmer[keyPath: list].append(model)
    }
  }

  private func remove<T: PersistentModel>(
    _ number: Int,
    from list: ReferenceWritableKeyPath<Farmer, [T]>,
    of farmer: Farmer
  ) throws {
    let count = farmer[keyPath: list].count
    guard farmer[keyPath: list].count == count else { throw Difference("two reads differ") }
    if count > 0 { farmer[keyPath: list].remove(at: number % count) }
  }
}
