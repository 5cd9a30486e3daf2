/// Rows of cells, printed in aligned columns.
package struct TextTable: Sendable {
  package struct Column: Sendable {
    /// The side on which the cells are aligned.
    package enum Alignment: Sendable {
      /// For words.
      case left
      /// For numbers.
      case right
    }

    /// The text above the cells.
    package let title: String
    /// The side on which the cells are aligned.
    package let alignment: Alignment
    /// Whether cells are cut if the table is too wide.
    package let isFlexible: Bool

    /// Declares a column of words, which are cut if the table is too wide.
    package static func text(_ title: String) -> Column {
      Column(title: title, alignment: .left, isFlexible: true)
    }

    /// Declares a column of words that must not be cut, such as names of objects.
    package static func whole(_ title: String) -> Column {
      Column(title: title, alignment: .left, isFlexible: false)
    }

    /// Declares a column of numbers, which are never cut.
    package static func number(_ title: String) -> Column {
      Column(title: title, alignment: .right, isFlexible: false)
    }
  }

  /// The columns from left to right.
  package let columns: [Column]
  /// The cells, row by row.
  package private(set) var rows: [[String]] = []

  private static let gap = 2
  private static let narrowestText = 6

  /// Creates an empty table.
  package init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row; missing cells are empty, and excess cells are dropped.
  package mutating func append(_ cells: [String]) {
    let padded = cells.prefix(columns.count).map(\.visible)
    rows.append(padded + Array(repeating: "", count: columns.count - padded.count))
  }

  /// Formats the table.
  ///
  /// - Parameter width: The number of columns for a line. Columns of words are cut, the widest
  ///   first; if the others alone are wider, the lines are longer.
  /// - Returns: The lines, each with its line break and without trailing spaces.
  package func text(width: Int = Terminal.defaultWidth) -> String {
    guard !columns.isEmpty else { return "" }
    let widths = fittedWidths(to: width)
    let rule = widths.map { String(repeating: "-", count: $0) }
    let lines = [columns.map { $0.title.visible }, rule] + rows
    return lines.reduce(into: "") { $0 += line($1, widths) + "\n" }
  }

  private func fittedWidths(to width: Int) -> [Int] {
    var widths = columns.indices.map { column in
      rows.reduce(columns[column].title.displayWidth) { max($0, $1[column].displayWidth) }
    }
    let available = width - Self.gap * (columns.count - 1)
    while widths.reduce(0, +) > available {
      let flexible = columns.indices.filter {
        columns[$0].isFlexible && widths[$0] > Self.narrowestText
      }
      guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
    }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      let shown = cell.truncated(to: widths[column])
      let padding = String(repeating: " ", count: widths[column] - shown.displayWidth)
      let gap = column == 0 ? "" : String(repeating: " ", count: Self.gap)
      line += gap + (columns[column].alignment == .left ? shown + padding : padding + shown)
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
