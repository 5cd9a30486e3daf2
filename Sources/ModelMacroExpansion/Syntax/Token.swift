/// One token of source.
package struct Token: Equatable {
  package enum Kind: Equatable, Sendable {
    /// A name or a keyword; `quoted` if it is in backticks.
    case word(quoted: Bool)
    /// A whole string literal with its delimiters and interpolations.
    case string
    case integer
    case float
    case regex
    /// `#if`, `#elseif`, `#else` or `#endif`, with nothing after it.
    case directive
    /// `#name`: a macro expansion or one of the compiler's own.
    case pound
    /// One of `( ) [ ] { } , ; : . @ \``.
    case punctuation
    /// One operator character; an operator is a run of these without space between them.
    case `operator`
    case unknown
  }

  package var kind: Kind
  /// The bytes of the token, as offsets into the text.
  package var range: Range<Int>
  /// Whether it is the first token of its line.
  package var startsLine: Bool
  /// Whether white space or a comment separates it from the token before.
  var followsSpace: Bool
}
