import Foundation
import OpenSwiftData

// The models of random bulk changes: each delete rule, and required objects with and without an
// inverse. A number names an object in every store.

@Model
final class Quay {
  var number: Int
  var weight = 0
  @Relationship(deleteRule: .cascade, inverse: \Bale.quay) var bales: [Bale] = []
  @Relationship(inverse: \Warden.quay) var wardens: [Warden] = []
  @Relationship(deleteRule: .deny, inverse: \Permit.quay) var permits: [Permit] = []
  @Relationship(deleteRule: .noAction, inverse: \Mooring.quay) var moorings: [Mooring] = []
  var beacons: [Beacon] = []

  init(_ number: Int) { self.number = number }
}

/// Something that requires a quay, whose rule does nothing.
@Model
final class Mooring {
  var number: Int
  var weight = 0
  var quay: Quay

  init(_ number: Int, _ quay: Quay) { (self.number, self.quay) = (number, quay) }
}

@Model
final class Bale {
  var number: Int
  var weight = 0
  var quay: Quay?

  init(_ number: Int, _ quay: Quay?) { (self.number, self.quay) = (number, quay) }
}

@Model
final class Warden {
  var number: Int
  var weight = 0
  var quay: Quay

  init(_ number: Int, _ quay: Quay) { (self.number, self.quay) = (number, quay) }
}

@Model
final class Permit {
  var number: Int
  var weight = 0
  var quay: Quay?

  init(_ number: Int, _ quay: Quay?) { (self.number, self.quay) = (number, quay) }
}

@Model
final class Beacon {
  var number: Int
  var weight = 0
  @Relationship(inverse: \Quay.beacons) var quays: [Quay] = []

  init(_ number: Int) { self.number = number }
}

/// Something that requires a bale, which does not know of it.
@Model
final class Tally {
  var number: Int
  var weight = 0
  @Relationship(inverse: nil) var bale: Bale

  init(_ number: Int, _ bale: Bale) { (self.number, self.bale) = (number, bale) }
}

/// A model of the harbor.
protocol HarborItem: PersistentModel {
  var number: Int { get set }
  var weight: Int { get set }

  /// The objects that satisfy a condition, or `nil` for all of them.
  static func predicate(_ condition: HarborCondition) -> Predicate<Self>?
}

/// A condition for objects of the harbor.
enum HarborCondition: Hashable {
  case all
  case numbered(Int)
  case lighter(Int)
  /// Those that are related to the quay with a number, or to none for 0.
  case at(Int)
}

extension Quay: HarborItem {
  static func predicate(_ condition: HarborCondition) -> Predicate<Quay>? {
    switch condition {
    case .all: return nil
    case .numbered(let number): return #Predicate { $0.number == number }
    case .lighter(let bound): return #Predicate { $0.weight < bound }
    case .at(0): return #Predicate { $0.bales.isEmpty }
    case .at(let number): return #Predicate { $0.beacons.contains { $0.number == number } }
    }
  }
}

extension Bale: HarborItem {
  static func predicate(_ condition: HarborCondition) -> Predicate<Bale>? {
    switch condition {
    case .all: return nil
    case .numbered(let number): return #Predicate { $0.number == number }
    case .lighter(let bound): return #Predicate { $0.weight < bound }
    case .at(0): return #Predicate { $0.quay == nil }
    case .at(let number): return #Predicate { $0.quay?.number == number }
    }
  }
}

extension Warden: HarborItem {
  static func predicate(_ condition: HarborCondition) -> Predicate<Warden>? {
    switch condition {
    case .all: return nil
    case .numbered(let number): return #Predicate { $0.number == number }
    case .lighter(let bound): return #Predicate { $0.weight < bound }
    case .at(let number): return #Predicate { $0.quay.number == number }
    }
  }
}

extension Mooring: HarborItem {
  static func predicate(_ condition: HarborCondition) -> Predicate<Mooring>? {
    switch condition {
    case .all: return nil
    case .numbered(let number): return #Predicate { $0.number == number }
    case .lighter(let bound): return #Predicate { $0.weight < bound }
    case .at(let number): return #Predicate { $0.quay.number == number }
    }
  }
}

extension Permit: HarborItem {
  static func predicate(_ condition: HarborCondition) -> Predicate<Permit>? {
    switch condition {
    case .all: return nil
    case .numbered(let number): return #Predicate { $0.number == number }
    case .lighter(let bound): return #Predicate { $0.weight < bound }
    case .at(0): return #Predicate { $0.quay == nil }
    case .at(let number): return #Predicate { $0.quay?.number == number }
    }
  }
}

extension Beacon: HarborItem {
  static func predicate(_ condition: HarborCondition) -> Predicate<Beacon>? {
    switch condition {
    case .all: return nil
    case .numbered(let number): return #Predicate { $0.number == number }
    case .lighter(let bound): return #Predicate { $0.weight < bound }
    case .at(0): return #Predicate { $0.quays.isEmpty }
    case .at(let number): return #Predicate { $0.quays.contains { $0.number == number } }
    }
  }
}

extension Tally: HarborItem {
  static func predicate(_ condition: HarborCondition) -> Predicate<Tally>? {
    switch condition {
    case .all: return nil
    case .numbered(let number): return #Predicate { $0.number == number }
    case .lighter(let bound): return #Predicate { $0.weight < bound }
    case .at(let number): return #Predicate { $0.bale.number == number }
    }
  }
}

/// The models of the harbor.
enum HarborKind: String, CaseIterable {
  case quay, bale, warden, mooring, permit, beacon, tally

  var type: any HarborItem.Type {
    switch self {
    case .quay: Quay.self
    case .bale: Bale.self
    case .warden: Warden.self
    case .mooring: Mooring.self
    case .permit: Permit.self
    case .beacon: Beacon.self
    case .tally: Tally.self
    }
  }

  static let schema = Schema([
    Quay.self, Bale.self, Warden.self, Mooring.self, Permit.self, Beacon.self, Tally.self,
  ])
}
