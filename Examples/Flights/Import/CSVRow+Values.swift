import CSVFiles
import CommandLineSupport
import Foundation

extension CSVRow {
  /// A text that may be missing, which the files write as `NA` or as nothing.
  func optionalText(_ name: String) throws -> String? {
    let text = try text(name)
    return text.isEmpty || text == "NA" ? nil : text
  }

  /// A text that has to be there.
  func requiredText(_ name: String) throws -> String {
    guard let text = try optionalText(name) else { throw error(at: name, "the value is missing") }
    return text
  }

  func integer(_ name: String) throws -> Int {
    try value(name, "an integer") { Int($0) }
  }

  func optionalInteger(_ name: String) throws -> Int? {
    try optionalText(name) == nil ? nil : integer(name)
  }

  func decimal(_ name: String) throws -> Double {
    try value(name, "a number") { text in Double(text).flatMap { $0.isFinite ? $0 : nil } }
  }

  func optionalDecimal(_ name: String) throws -> Double? {
    try optionalText(name) == nil ? nil : decimal(name)
  }

  /// A moment in the form 2013-01-31T10:00:00Z.
  func moment(_ name: String) throws -> Date {
    try value(name, "a moment such as 2013-01-31T10:00:00Z") { try? Date($0, strategy: .iso8601) }
  }
}
