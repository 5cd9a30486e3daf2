import Observation

/// The call of the standard library for each observed access, whose result is not used here.
///
/// The library does not say so; an access of one property that is always the same costs the least of
/// all that can be asked of it, with all that it takes in one object.
final class Question: Observable {
  // Nothing in it changes; key paths are not marked Sendable.
  nonisolated(unsafe) private static let shared = Question()
  private let registrar = ObservationRegistrar()
  private let path = \Question.asked
  private let asked = 0

  static func ask() {
    let question = shared
    question.registrar.access(question, keyPath: question.path)
  }
}

/// A record whose reads ask, and do nothing else.
final class AskingItem {
  private let storedNumber: Int
  private let storedWeight: Double
  private let storedName: String

  init(_ record: Record) {
    storedNumber = record.number
    storedWeight = record.weight
    storedName = record.name
  }

  var number: Int {
    Question.ask()
    return storedNumber
  }

  var weight: Double {
    Question.ask()
    return storedWeight
  }

  var name: String {
    Question.ask()
    return storedName
  }
}
