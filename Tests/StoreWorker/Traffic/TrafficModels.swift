import Foundation
import OpenSwiftData

/// A model of the traffic, found by its number.
protocol TrafficModel: PersistentModel {
  var number: Int { get set }

  init(number: Int)

  /// What finds the objects of some numbers.
  static func numbered(_ numbers: [Int]) -> Predicate<Self>
}

/// The models with which several processes come into each other's way.
enum Traffic {
  /// How many objects of each kind there are, of those that the traffic does not use up.
  static let counts = (registers: 6, counters: 3, accounts: 5, holders: 4, pieces: 12)
  /// What all accounts have together.
  static let total = counts.accounts * 1_000

  static let models: [any PersistentModel.Type] = [
    Register.self, Counter.self, List.self, Account.self, Holder.self, Piece.self,
  ]

  /// A value that is written without having been read.
  @Model
  final class Register: TrafficModel {
    @Attribute(.unique) var number: Int
    var value = 0
    /// Makes saves large, so that the store checkpoints its log often.
    var padding = ""

    init(number: Int) { self.number = number }

    static func numbered(_ numbers: [Int]) -> Predicate<Register> {
      #Predicate { numbers.contains($0.number) }
    }
  }

  /// A value that is read, raised by one and written.
  @Model
  final class Counter: TrafficModel {
    @Attribute(.unique) var number: Int
    var value = 0

    init(number: Int) { self.number = number }

    static func numbered(_ numbers: [Int]) -> Predicate<Counter> {
      #Predicate { numbers.contains($0.number) }
    }
  }

  /// A list to which values are appended.
  @Model
  final class List: TrafficModel {
    @Attribute(.unique) var number: Int
    var values: [Int] = []

    init(number: Int) { self.number = number }

    static func numbered(_ numbers: [Int]) -> Predicate<List> {
      #Predicate { numbers.contains($0.number) }
    }
  }

  /// A balance, whose sum over all accounts never changes.
  @Model
  final class Account: TrafficModel {
    @Attribute(.unique) var number: Int
    var balance = 1_000

    init(number: Int) { self.number = number }

    static func numbered(_ numbers: [Int]) -> Predicate<Account> {
      #Predicate { numbers.contains($0.number) }
    }
  }

  /// What pieces lie in; it is deleted and made again.
  @Model
  final class Holder: TrafficModel {
    @Attribute(.unique) var number: Int
    @Relationship(inverse: \Piece.holder) var pieces: [Piece] = []

    init(number: Int) { self.number = number }

    static func numbered(_ numbers: [Int]) -> Predicate<Holder> {
      #Predicate { numbers.contains($0.number) }
    }
  }

  /// What moves from holder to holder.
  @Model
  final class Piece: TrafficModel {
    @Attribute(.unique) var number: Int
    var holder: Holder?

    init(number: Int) { self.number = number }

    static func numbered(_ numbers: [Int]) -> Predicate<Piece> {
      #Predicate { numbers.contains($0.number) }
    }
  }
}
