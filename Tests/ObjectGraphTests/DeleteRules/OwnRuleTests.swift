import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Delete rules of relationships that the row of the deleted object keeps, while another context
/// changes them.
@Suite("A deletion and a change of the deleted object by another context")
struct OwnRuleTests {
  /// The time of the other context's save.
  enum Moment: CaseIterable {
    /// Before the save, whose rules were applied to what was stored earlier.
    case before
    /// When the save has applied its rules.
    case during
  }

  private static let stores = EveryStore.migrating + [.memory]

  private final class Gallery {
    private let fixture: ContainerFixture
    let container: ModelContainer
    let here: ModelContext

    init(_ store: EveryStore) throws {
      fixture = try ContainerFixture(
        store,
        for: Album.self,
        Vault.self,
        Print.self,
        Person.self,
        Tenant.self,
        Desk.self,
        Binder.self,
        Sheet.self
      )
      container = try fixture.open()
      here = ModelContext(container)
    }

    func save<T: PersistentModel>(_ model: T) throws {
      let context = ModelContext(container)
      context.insert(model)
      try context.save()
    }

    /// Deletes the only object of a model while another context changes it.
    func delete<T: PersistentModel>(
      _ type: T.Type,
      _ moment: Moment,
      while change: @escaping (T, ModelContext) throws -> Void
    ) throws {
      here.delete(try #require(try here.all(type).first))
      // The rules are applied to what is stored now.
      #expect(try here.fetchCount(FetchDescriptor<T>()) == 0)
      nonisolated(unsafe) let save = { [container] in
        let there = ModelContext(container)
        try change(#require(try there.all(type).first), there)
        try there.save()
      }
      guard moment == .during else {
        try save()
        return try here.save()
      }
      nonisolated(unsafe) var isDue = true
      let token = NotificationCenter.default.addObserver(
        forName: ModelContext.willSave,
        object: here,
        queue: nil
      ) { _ in
        guard isDue else { return }
        isDue = false
        #expect(throws: Never.self) { try save() }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      try here.save()
      #expect(!isDue)
    }

    func names() throws -> [String] {
      try ModelContext(container).all(Print.self).map(\.name).sorted()
    }

    func desks() throws -> [Int] {
      try ModelContext(container).all(Desk.self).map(\.number).sorted()
    }
  }

  @Test(arguments: stores, Moment.allCases)
  func `deletes by cascade what a one-way list contains then`(
    store: EveryStore,
    moment: Moment
  ) throws {
    let gallery = try Gallery(store)
    try gallery.save(Album(nil, ["a", "b"].map(Print.init)))
    try gallery.delete(Album.self, moment) { album, _ in
      album.photos = [album.photos[1], Print("c")]
    }
    #expect(try gallery.names() == ["a"])
    #expect(try ModelContext(gallery.container).all(Album.self).isEmpty)
  }

  @Test(arguments: stores, Moment.allCases)
  func `deletes by cascade what a one-way relationship refers to then`(
    store: EveryStore,
    moment: Moment
  ) throws {
    let gallery = try Gallery(store)
    try gallery.save(Album(Print("a"), []))
    try gallery.delete(Album.self, moment) { album, _ in album.cover = Print("b") }
    #expect(try gallery.names() == ["a"])
    #expect(try ModelContext(gallery.container).all(Album.self).isEmpty)
  }

  @Test(arguments: stores, Moment.allCases)
  func `is denied by what a one-way list contains then`(
    store: EveryStore,
    moment: Moment
  ) throws {
    let gallery = try Gallery(store)
    try gallery.save(Vault(nil, []))
    #expect(throws: DataStoreError.deletionDenied) {
      try gallery.delete(Vault.self, moment) { vault, _ in vault.photos = [Print("a")] }
    }
    #expect(try ModelContext(gallery.container).all(Vault.self).count == 1)
  }

  @Test(arguments: stores, Moment.allCases)
  func `is denied by what a one-way relationship refers to then`(
    store: EveryStore,
    moment: Moment
  ) throws {
    let gallery = try Gallery(store)
    try gallery.save(Vault(nil, []))
    #expect(throws: DataStoreError.deletionDenied) {
      try gallery.delete(Vault.self, moment) { vault, _ in vault.photo = Print("a") }
    }
    #expect(try ModelContext(gallery.container).all(Vault.self).count == 1)
  }

  @Test(arguments: stores)
  func `is not denied by what it no longer refers to`(store: EveryStore) throws {
    let gallery = try Gallery(store)
    try gallery.save(Vault(Print("a"), [Print("b")]))
    try gallery.delete(Vault.self, .before) { vault, _ in
      vault.photo = nil
      vault.photos = []
    }
    #expect(try gallery.names() == ["a", "b"])
    #expect(try ModelContext(gallery.container).all(Vault.self).isEmpty)
  }

  @Test(arguments: stores, Moment.allCases)
  func `deletes by cascade the counterpart that it has then`(
    store: EveryStore,
    moment: Moment
  ) throws {
    let gallery = try Gallery(store)
    try gallery.save(Person(Desk(1)))
    try gallery.delete(Person.self, moment) { person, _ in person.desk = Desk(2) }
    #expect(try gallery.desks() == [1])
    #expect(try ModelContext(gallery.container).all(Person.self).isEmpty)
    try StoredReferences.check(gallery.container)
  }

  @Test(arguments: stores, Moment.allCases)
  func `deletes no counterpart that has another one then`(
    store: EveryStore,
    moment: Moment
  ) throws {
    let gallery = try Gallery(store)
    try gallery.save(Person(Desk(1)))
    try gallery.delete(Person.self, moment) { person, context in
      let other = Person(nil)
      context.insert(other)
      other.desk = person.desk
    }
    #expect(try gallery.desks() == [1])
    let people = try ModelContext(gallery.container).all(Person.self)
    #expect(people.map { $0.desk?.number } == [1])
    try StoredReferences.check(gallery.container)
  }

  @Test(arguments: stores, Moment.allCases)
  func `is denied by the counterpart that it has then`(store: EveryStore, moment: Moment) throws {
    let gallery = try Gallery(store)
    try gallery.save(Tenant(nil))
    #expect(throws: DataStoreError.deletionDenied) {
      try gallery.delete(Tenant.self, moment) { tenant, _ in tenant.desk = Desk(1) }
    }
    #expect(try ModelContext(gallery.container).all(Tenant.self).first?.desk?.number == 1)
  }

  @Test(arguments: stores)
  func `keeps by cascade what has moved to another owner`(store: EveryStore) throws {
    let gallery = try Gallery(store)
    try gallery.save(Binder(["a", "b"].map(Sheet.init)))
    try gallery.delete(Binder.self, .before) { binder, context in
      let other = Binder([])
      context.insert(other)
      other.sheets = [binder.sheets[0]]
      binder.sheets.append(Sheet("c"))
    }
    let binders = try ModelContext(gallery.container).all(Binder.self)
    #expect(binders.map { $0.sheets.map(\.name) } == [["a"]])
    #expect(try ModelContext(gallery.container).all(Sheet.self).map(\.name) == ["a"])
    try StoredReferences.check(gallery.container)
  }

  @Test(arguments: stores)
  func `is not denied by a counterpart that it no longer has`(store: EveryStore) throws {
    let gallery = try Gallery(store)
    try gallery.save(Tenant(Desk(1)))
    try gallery.delete(Tenant.self, .before) { tenant, _ in tenant.desk = nil }
    #expect(try gallery.desks() == [1])
    #expect(try ModelContext(gallery.container).all(Tenant.self).isEmpty)
  }
}

@Model
private final class Print {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model
private final class Album {
  @Relationship(deleteRule: .cascade, inverse: nil) var cover: Print?
  @Relationship(deleteRule: .cascade, inverse: nil) var photos: [Print] = []

  init(_ cover: Print?, _ photos: [Print]) {
    self.cover = cover
    self.photos = photos
  }
}

@Model
private final class Vault {
  @Relationship(deleteRule: .deny, inverse: nil) var photo: Print?
  @Relationship(deleteRule: .deny, inverse: nil) var photos: [Print] = []

  init(_ photo: Print?, _ photos: [Print]) {
    self.photo = photo
    self.photos = photos
  }
}

@Model
private final class Desk {
  var number: Int
  var person: Person?
  var tenant: Tenant?

  init(_ number: Int) { self.number = number }
}

@Model
private final class Person {
  @Relationship(deleteRule: .cascade, inverse: \Desk.person) var desk: Desk?

  init(_ desk: Desk?) { self.desk = desk }
}

@Model
private final class Tenant {
  @Relationship(deleteRule: .deny, inverse: \Desk.tenant) var desk: Desk?

  init(_ desk: Desk?) { self.desk = desk }
}

@Model
private final class Sheet {
  var name: String
  var binder: Binder?

  init(_ name: String) { self.name = name }
}

@Model
private final class Binder {
  @Relationship(deleteRule: .cascade, inverse: \Sheet.binder) var sheets: [Sheet] = []

  init(_ sheets: [Sheet]) { self.sheets = sheets }
}
