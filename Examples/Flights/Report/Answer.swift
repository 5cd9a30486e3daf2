import CommandLineSupport
import Foundation

/// What a question came to: a table, and a sentence where the table does not say it all.
struct Answer: Encodable {
  /// One cell of the table.
  enum Cell: Encodable {
    case text(String)
    case number(Int)
    /// A number with one digit behind the point.
    case decimal(Double)
    case none

    static func number(_ number: Int?) -> Cell { number.map { .number($0) } ?? .none }

    /// A moment in UTC, as 2013-01-31T10:00:00Z.
    static func moment(_ date: Date?) -> Cell {
      date.map { .text($0.formatted(.iso8601)) } ?? .none
    }

    var text: String {
      switch self {
      case .text(let text): text
      case .number(let number): String(number)
      case .decimal(let number): Self.rounded(number).text
      case .none: "-"
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .number(let number): try container.encode(number)
      case .decimal(let number): try container.encode(Self.rounded(number).value)
      case .none: try container.encodeNil()
      }
    }

    private static func rounded(_ number: Double) -> (value: Double, text: String) {
      let value = (number * 10).rounded() / 10
      return (value, "\(value)")
    }
  }

  let columns: [Column]
  var rows: [[Cell]] = []
  /// A sentence below the table.
  var note: String?

  /// A heading and the kind of cells below it.
  struct Column: Encodable {
    let title: String
    let isNumber: Bool

    static func text(_ title: String) -> Column { Column(title: title, isNumber: false) }
    static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(title)
    }
  }

  init(_ columns: Column..., rows: [[Cell]] = [], note: String? = nil) {
    self.columns = columns
    self.rows = rows
    self.note = note
  }

  /// The table and the note as lines.
  func text(width: Int) -> String {
    var table = TextTable(columns.map { $0.isNumber ? .number($0.title) : .text($0.title) })
    rows.forEach { table.append($0.map(\.text)) }
    let lines = rows.isEmpty ? "Nothing.\n" : table.text(width: width)
    return lines + (note.map { "\n\($0)\n" } ?? "")
  }
}
