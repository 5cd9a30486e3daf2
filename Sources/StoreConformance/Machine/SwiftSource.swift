import Foundation
import StoreProtocol

/// Writes values and expressions as Swift source that creates them.
enum SwiftSource {
  static func text(_ value: StoreValue) -> String {
    switch value {
    case .null: ".null"
    case .bool(let value): ".bool(\(value))"
    case .integer(let value): ".integer(\(value == .min ? ".min" : "\(value)"))"
    case .unsigned(let value): ".unsigned(\(value))"
    case .double(let value): ".double(\(text(value)))"
    case .decimal(let value): ".decimal(Decimal(string: \"\(value)\") ?? .nan)"
    case .string(let value): ".string(\(text(value)))"
    case .date(let value):
      ".date(Date(timeIntervalSinceReferenceDate: \(text(value.timeIntervalSinceReferenceDate))))"
    case .data(let value): ".data(Data(\(Array(value))))"
    case .uuid(let value): ".uuid(UUID(uuidString: \"\(value)\") ?? UUID())"
    case .identifier(let one): ".identifier(\(text(one)))"
    case .identifiers(let list): ".identifiers(\(self.list(list.map(text))))"
    case .array(let list): ".array(\(self.list(list.map(text))))"
    case .composite(let members):
      ".composite(\(list(members.map { ".init(\(text($0.name)), \(text($0.value)))" })))"
    }
  }

  private static func text(_ number: Double) -> String {
    if number.isNaN { return ".nan" }
    if number.isInfinite { return number < 0 ? "-.infinity" : ".infinity" }
    return "\(number)"
  }

  /// Returns a literal that has exactly the same scalars wherever it is pasted.
  static func text(_ string: String) -> String {
    let scalars = string.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case " "..."~": "\(scalar)"
      default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return "\"\(scalars.joined())\""
  }

  private static func text(_ one: PersistentIdentifier) -> String {
    "DifferentialRow.identifier(\(one.integerKey ?? 0), \(text(one.entityName)))"
  }

  static func list(_ parts: [String]) -> String { "[\(parts.joined(separator: ", "))]" }

  static func text(_ expression: QueryExpression) -> String {
    let arguments = expression.caseValues.map { label, value in
      (label.map { "\($0): " } ?? "") + text(argument: value)
    }
    return ".\(expression.caseName)(\(arguments.joined(separator: ", ")))"
  }

  private static func text(argument: Any) -> String {
    switch argument {
    case let expression as QueryExpression: text(expression)
    case let expressions as [QueryExpression]: list(expressions.map(text))
    case let value as StoreValue: text(value)
    case let name as String: text(name)
    case let operation as any RawRepresentable<String>: ".\(operation.rawValue)"
    case let pattern as QueryPattern: "SamplePatterns.pattern(\(text(pattern.source)))"
    case let search as TextSearch: "TextSearch(\(text(search.text)))"
    default: "\(argument)"
    }
  }
}

extension SwiftSource {
  static func text(_ query: StoreQuery) -> String {
    var arguments = ["entity: \(text(query.entity))"]
    if !query.includesSubentities { arguments.append("includesSubentities: false") }
    if let filter = query.filter { arguments.append("filter: \(text(filter))") }
    if !query.sort.isEmpty { arguments.append("sort: \(list(query.sort.map(text)))") }
    if query.offset != 0 { arguments.append("offset: \(query.offset)") }
    if let limit = query.limit { arguments.append("limit: \(limit)") }
    return "StoreQuery(\(arguments.joined(separator: ", ")))"
  }

  private static func text(_ term: QuerySort) -> String {
    "QuerySort(\(text(term.value))\(term.isReversed ? ", isReversed: true" : ""))"
  }

  static func text(_ selection: StoreSelection) -> String {
    var arguments = [text(selection.query)]
    if let groups = selection.groups { arguments.append("groups: \(list(groups.map(text)))") }
    arguments.append("columns: \(list(selection.columns.map(text)))")
    if let having = selection.having { arguments.append("having: \(text(having))") }
    if !selection.order.isEmpty { arguments.append("order: \(list(selection.order.map(text)))") }
    return "StoreSelection(\(arguments.joined(separator: ", ")))"
  }

  private static func text(_ column: StoreSelection.Column) -> String {
    switch column {
    case .value(let value): ".value(\(text(value)))"
    case .key(let number): ".key(\(number))"
    case .count: ".count"
    case .aggregate(let function, let value, let type):
      ".aggregate(.\(function), \(text(value)), .\(type.rawValue))"
    }
  }

  static func text(_ row: DifferentialRow) -> String {
    let values = row.values.sorted { $0.key < $1.key }.map { "\(text($0)): \(text($1))" }
    let tail = values.isEmpty ? "" : ", \(list(values))"
    return "DifferentialRow(\(row.number), \(text(row.entity))\(tail))"
  }
}
