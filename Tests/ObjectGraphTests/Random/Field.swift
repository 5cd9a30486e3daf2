import Foundation
import OpenSwiftData

/// An attribute of the fleet's models, whose values are named by numbers.
enum Field: String, CaseIterable {
  case name, rank, joined, quarters, watch, wage, knots, medals
  case shipName, tons, portName, word, text, label

  /// The model that declares the attribute.
  var owner: Kind {
    switch self {
    case .name, .rank, .joined, .quarters, .watch, .wage: .seafarer
    case .knots: .sailor
    case .medals: .captain
    case .shipName, .tons: .ship
    case .portName: .port
    case .word: .pennant
    case .text: .log
    case .label: .berth
    }
  }

  /// Whether no two objects have the same value.
  var isUnique: Bool { self == .name || self == .word }

  /// The text of a name's number.
  static func name(_ number: Int) -> String { "n\(number)" }

  private static func rank(_ number: Int) -> Int? { number % 4 == 0 ? nil : number }

  private static func joined(_ number: Int) -> Date? {
    number % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number) * 1_000.1)
  }

  private static func quarters(_ number: Int) -> Quarters? {
    number % 3 == 0 ? nil : Quarters(deck: number, label: number % 2 == 0 ? nil : "q\(number)")
  }

  private static func watch(_ number: Int) -> Watch { number % 2 == 0 ? .early : .late }
  private static func wage(_ number: Int) -> Double { Double(number) / 3 }
  private static func medals(_ number: Int) -> [String] { (0..<number % 4).map { "m\($0)" } }

  /// What a value reads like.
  func text(_ number: Int) -> String {
    switch self {
    case .name, .shipName, .portName, .word, .text, .label: Self.name(number)
    case .rank: String(describing: Self.rank(number))
    case .joined: String(describing: Self.joined(number)?.timeIntervalSinceReferenceDate)
    case .quarters: String(describing: Self.quarters(number))
    case .watch: String(describing: Self.watch(number))
    case .wage: String(describing: Self.wage(number))
    case .knots, .tons: String(number)
    case .medals: String(describing: Self.medals(number))
    }
  }

  /// What the value of an object reads like.
  func text(of model: any PersistentModel) -> String {
    switch (self, model) {
    case (.name, let model as Seafarer): model.name
    case (.rank, let model as Seafarer): String(describing: model.rank)
    case (.joined, let model as Seafarer):
      String(describing: model.joined?.timeIntervalSinceReferenceDate)
    case (.quarters, let model as Seafarer): String(describing: model.quarters)
    case (.watch, let model as Seafarer): String(describing: model.watch)
    case (.wage, let model as Seafarer): String(describing: model.wage)
    case (.knots, let model as Sailor): String(model.knots)
    case (.medals, let model as Captain): String(describing: model.medals)
    case (.shipName, let model as Ship): model.name
    case (.tons, let model as Ship): String(model.tons)
    case (.portName, let model as Port): model.name
    case (.word, let model as Pennant): model.word
    case (.text, let model as LogEntry): model.text
    case (.label, let model as Berth): model.label
    default: "\(type(of: model)) has no \(rawValue)"
    }
  }

  /// Sets the value of an object.
  func set(_ number: Int, of model: any PersistentModel) {
    switch (self, model) {
    case (.name, let model as Seafarer): model.name = Self.name(number)
    case (.rank, let model as Seafarer): model.rank = Self.rank(number)
    case (.joined, let model as Seafarer): model.joined = Self.joined(number)
    case (.quarters, let model as Seafarer): model.quarters = Self.quarters(number)
    case (.watch, let model as Seafarer): model.watch = Self.watch(number)
    case (.wage, let model as Seafarer): model.wage = Self.wage(number)
    case (.knots, let model as Sailor): model.knots = number
    case (.medals, let model as Captain): model.medals = Self.medals(number)
    case (.shipName, let model as Ship): model.name = Self.name(number)
    case (.tons, let model as Ship): model.tons = number
    case (.portName, let model as Port): model.name = Self.name(number)
    case (.word, let model as Pennant): model.word = Self.name(number)
    case (.text, let model as LogEntry): model.text = Self.name(number)
    case (.label, let model as Berth): model.label = Self.name(number)
    default: break
    }
  }
}
