import Observation

/// A class whose reads ask the standard library whether somebody observes, and do nothing else.
///
/// The library does not say so; an access of one property that is always the same costs the least of
/// all that can be asked of it.
final class AskingItem: Observable {
  private static let registrar = ObservationRegistrar()
  private static let path = \AskingItem.asked
  private let asked = 0

  private let storedNumber: Int
  private let storedWeight: Double
  private let storedName: String

  init(_ record: Record) {
    storedNumber = record.number
    storedWeight = record.weight
    storedName = record.name
  }

  var number: Int {
    ask()
    return storedNumber
  }

  var weight: Double {
    ask()
    return storedWeight
  }

  var name: String {
    ask()
    return storedName
  }

  private func ask() { Self.registrar.access(self, keyPath: Self.path) }
}
