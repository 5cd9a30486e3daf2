import Foundation
import OpenSwiftData

/// An item of the narrow or the wide schema.
protocol WorkerItem: PersistentModel {
  associatedtype Box: WorkerBox where Box.Item == Self

  var number: Int { get set }
  var text: String { get set }
  var count: Int { get set }
  var blob: Data? { get set }
  var box: Box? { get set }
  /// What the wide schema has more; a word of SQL, which no store may fall over.
  var group: String? { get set }

  init(number: Int)

  /// What finds the item of a number.
  static func numbered(_ number: Int) -> Predicate<Self>
}

/// A box of the narrow or the wide schema.
protocol WorkerBox: PersistentModel {
  associatedtype Item

  var number: Int { get set }
  var items: [Item] { get set }

  init(number: Int)

  /// What finds the box of a number.
  static func numbered(_ number: Int) -> Predicate<Self>
}

/// The models that a store begins with.
enum Narrow {
  @Model
  final class Item: WorkerItem {
    @Attribute(.unique) var number: Int
    var text = ""
    var count = 0
    @Attribute(.externalStorage) var blob: Data?
    var box: Box?

    init(number: Int) { self.number = number }

    @Transient var group: String?

    static func numbered(_ number: Int) -> Predicate<Item> { #Predicate { $0.number == number } }
  }

  @Model
  final class Box: WorkerBox {
    @Attribute(.unique) var number: Int
    // The inverse is inferred: named, it is a circular reference to the compiler in some batches.
    var items: [Item] = []

    init(number: Int) { self.number = number }

    static func numbered(_ number: Int) -> Predicate<Box> { #Predicate { $0.number == number } }
  }
}

/// The models with one property more.
enum Wide {
  @Model
  final class Item: WorkerItem {
    @Attribute(.unique) var number: Int
    var text = ""
    var count = 0
    @Attribute(.externalStorage) var blob: Data?
    var box: Box?
    var group: String?

    init(number: Int) { self.number = number }

    static func numbered(_ number: Int) -> Predicate<Item> { #Predicate { $0.number == number } }
  }

  @Model
  final class Box: WorkerBox {
    @Attribute(.unique) var number: Int
    var items: [Item] = []

    init(number: Int) { self.number = number }

    static func numbered(_ number: Int) -> Predicate<Box> { #Predicate { $0.number == number } }
  }
}
