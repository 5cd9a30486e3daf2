/// Parses what a person typed as a search; every input is valid.
struct SearchParser {
  /// The groups of phrases; a string must contain one phrase of each group.
  private(set) var groups: [[SearchPhrase]] = []
  /// The phrases that a string must not contain.
  private(set) var excluded: [SearchPhrase] = []

  /// One term as typed.
  private struct Term {
    let text: Substring.UnicodeScalarView
    let isExcluded: Bool
    let isPrefix: Bool
    let isQuoted: Bool

    var isOr: Bool { !isQuoted && !isExcluded && text.elementsEqual("OR".unicodeScalars) }

    var phrase: SearchPhrase? { SearchPhrase(String(text), isPrefix: isPrefix) }
  }

  init(_ text: String) {
    var rest = Substring(text).unicodeScalars
    var terms: [Term] = []
    while let term = Self.next(&rest) { terms.append(term) }
    var joinsNext = false
    for (index, term) in terms.enumerated() {
      let after = index + 1 < terms.count ? terms[index + 1] : nil
      let isBetweenTerms =
        !groups.isEmpty && index > 0 && !terms[index - 1].isExcluded
        && after.map { !$0.isExcluded } == true
      if term.isOr, !joinsNext, isBetweenTerms {
        joinsNext = true
      } else if let phrase = term.phrase {
        add(phrase, isExcluded: term.isExcluded, joins: joinsNext)
        joinsNext = false
      }
    }
  }

  private mutating func add(_ phrase: SearchPhrase, isExcluded: Bool, joins: Bool) {
    if isExcluded {
      excluded.append(phrase)
    } else if joins, !groups.isEmpty {
      groups[groups.count - 1].append(phrase)
    } else {
      groups.append([phrase])
    }
  }

  private static func next(_ rest: inout Substring.UnicodeScalarView) -> Term? {
    rest = rest.drop { $0.properties.isWhitespace }
    guard let first = rest.first else { return nil }
    let afterFirst = rest.dropFirst().first
    let isExcluded = first == "-" && afterFirst.map { !$0.properties.isWhitespace } == true
    if isExcluded { rest = rest.dropFirst() }
    let isQuoted = rest.first.map(isQuote) == true
    if isQuoted { rest = rest.dropFirst() }
    let text = rest.prefix { isQuoted ? !isQuote($0) : !isQuote($0) && !$0.properties.isWhitespace }
    rest = rest.dropFirst(text.count)
    if isQuoted { rest = rest.dropFirst() }
    let hasStarAfter = isQuoted && rest.first == "*"
    return Term(
      text: text,
      isExcluded: isExcluded,
      isPrefix: hasStarAfter || text.last == "*",
      isQuoted: isQuoted
    )
  }

  private static func isQuote(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "\u{201C}", "\u{201D}", "\u{201E}": true
    default: false
    }
  }
}
