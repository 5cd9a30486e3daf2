import Foundation
import OpenSwiftData
import Testing

@Model class Animal {
  var name: String
  var sound: String

  init(_ name: String, sound: String) {
    self.name = name
    self.sound = sound
  }
}

@Model final class Dog: Animal {
  override init(_ name: String, sound: String) { super.init(name, sound: sound) }
}

@Model final class Kennel {
  var place: String

  init(_ place: String) { self.place = place }
}

protocol WithName: PersistentModel {
  var name: String { get }
}

protocol WithSound: PersistentModel {
  var sound: String { get }
}

protocol Placed: PersistentModel {
  /// A key path that names a property of the model, as queries need it.
  static var placeKey: KeyPath<Self, String> & Sendable { get }
}

extension Dog: WithName, WithSound {}

extension Kennel: Placed {
  static var placeKey: KeyPath<Kennel, String> & Sendable { \.place }
}

/// The queries of a repository of any model.
private struct Repository<Element: PersistentModel> {
  let context: ModelContext

  func count(where predicate: Predicate<Element>) throws -> Int {
    try context.fetchCount(FetchDescriptor(predicate: predicate))
  }

  func element(_ id: PersistentIdentifier) throws -> Element? {
    try context.fetch(FetchDescriptor<Element>(predicate: #Predicate { $0.id == id })).first
  }

  func count(of ids: [PersistentIdentifier]) throws -> Int {
    try count(where: #Predicate { ids.contains($0.persistentModelID) })
  }
}

extension Repository where Element: Placed {
  func elements(at place: String) throws -> [Element] {
    try context.fetch(
      FetchDescriptor(
        predicate: Element.where(Element.placeKey, .equals(place)),
        sortBy: [SortDescriptor(Element.placeKey)]
      )
    )
  }
}

@Suite("Queries of generic code")
struct GenericQueryTests {
  private func context() throws -> ModelContext {
    let container = try ModelContainer(
      for: Animal.self,
      Dog.self,
      Kennel.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    return ModelContext(container)
  }

  @Test func `find objects by identifier`() throws {
    let context = try context()
    let (dog, kennel) = (Dog("Rex", sound: "woof"), Kennel("north"))
    context.insert(dog)
    context.insert(kennel)
    try context.save()
    let dogs = Repository<Dog>(context: context)
    #expect(try dogs.element(dog.persistentModelID) === dog)
    #expect(try dogs.count(of: [dog.id, kennel.id]) == 1)
    #expect(try Repository<Animal>(context: context).count(of: [dog.id]) == 1)
  }

  @Test func `use key paths that the models provide`() throws {
    let context = try context()
    for place in ["north", "south", "north"] { context.insert(Kennel(place)) }
    let kennels = Repository<Kennel>(context: context)
    #expect(try kennels.elements(at: "north").count == 2)
  }

  // Swift compares the key paths of two requirements by their ordinals alone: these are equal.
  @Test func `distinguish the requirements of two protocols`() throws {
    func named<T: WithName>(_ text: String, _: T.Type) -> Predicate<T> {
      #Predicate { $0.name == text }
    }
    func sounding<T: WithSound>(_ text: String, _: T.Type) -> Predicate<T> {
      #Predicate { $0.sound == text }
    }
    let context = try context()
    context.insert(Dog("Rex", sound: "woof"))
    try context.save()
    let dogs = Repository<Dog>(context: context)
    for _ in 0..<2 {
      #expect(try dogs.count(where: named("Rex", Dog.self)) == 1)
      #expect(try dogs.count(where: sounding("woof", Dog.self)) == 1)
      #expect(try dogs.count(where: sounding("Rex", Dog.self)) == 0)
    }
  }
}
