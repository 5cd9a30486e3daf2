import QueryEvaluation
import SQLTranslation
import StoreProtocol

/// The search for plain ASCII in a string, directly in SQLite's memory.
///
/// No string has to be created.
struct PlainTextTest {
  private let part: [UInt8]
  private let ignoresCase: Bool

  /// Creates the test of an expression over leaves, or `nil` if it does not search a string for
  /// constant text.
  init?(_ expression: QueryExpression, _ leaves: [LeafContent]) {
    guard
      case .text(let test, .property(.element(0), "0"), .constant(.string(let part))) = expression,
      case .value(.string)? = leaves.first
    else { return nil }
    switch test {
    case .contains: ignoresCase = false
    case .localizedStandardContains where PlainText.isCasePlain: ignoresCase = true
    default: return nil
    }
    self.part = Array(part.utf8)
  }

  /// Returns whether the first value contains the part, or `nil` if bytes cannot decide that.
  func holds(_ arguments: FunctionArguments) -> Bool? {
    guard arguments.storage(at: 1) == .text else { return nil }
    return arguments.withBytes(at: 1) { text in
      part.withUnsafeBytes { PlainText.contains(text, $0, ignoringCase: ignoresCase) }
    }
  }
}
