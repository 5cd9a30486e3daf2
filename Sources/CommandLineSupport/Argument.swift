/// A declared word that stands for itself, known by its place.
package struct Argument: Sendable {
  /// How many words an argument takes.
  package enum Count: Sendable {
    /// Exactly one word.
    case one
    /// One word or none.
    case optional
    /// All the words that are left, at least one.
    case many
    /// All the words that are left, perhaps none.
    case any
  }

  /// The word that stands for the argument in the help text.
  package let name: String
  /// One sentence for the help text.
  package let summary: String
  /// How many words the argument takes.
  package let count: Count

  /// Declares an argument; one that takes all words that are left stands last.
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
