/// One token of source.
struct Token: Equatable {
  enum Kind: Equatable {
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

  var kind: Kind
  /// The bytes of the token, as offsets into the text.
  var range: Range<Int>
  /// Whether it is the first token of its line.
  var startsLine: Bool
  /// Whether white space or a comment separates it from the token before.
  var followsSpace: Bool
}
