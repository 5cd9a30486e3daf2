/// A declared positional word of a command line.
package struct Argument: Sendable {
  /// The number of words of an argument.
  package enum Count: Sendable {
    /// Exactly one word.
    case one
    /// One optional word.
    case optional
    /// All remaining words, at least one.
    case many
    /// All remaining words, possibly none.
    case any
  }

  /// The name of the argument in the help text.
  package let name: String
  /// One sentence for the help text.
  package let summary: String
  /// The number of words of the argument.
  package let count: Count

  /// Declares an argument; one that takes all remaining words is last.
  package init(_ name: String, _ summary: String, count: Count = .one) {
    self.name = name
    self.summary = summary
    self.count = count
  }

  var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .many: "\(name)..."
    case .any: "[\(name)...]"
    }
  }

  var isRequired: Bool { count == .one || count == .many }
  var takesAllWords: Bool { count == .many || count == .any }
}
