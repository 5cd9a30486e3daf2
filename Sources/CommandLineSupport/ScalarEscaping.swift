extension String {
  /// Replaces scalars that mean something in the language of an output.
  ///
  /// Readers of HTML, CSV, JSON and the like go by scalars or bytes. A `Character` does not do: `"`
  /// with a combining mark after it, or `<` after U+0600, is one character that equals neither.
  ///
  /// - Parameter replacement: Returns what takes the place of a scalar, or `nil` to keep it.
  /// - Returns: The text with the replacements.
  package func replacingScalars(
    _ replacement: (Unicode.Scalar) -> String?
  ) -> String {
    unicodeScalars.reduce(into: "") { result, scalar in
      if let text = replacement(scalar) {
        result += text
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
}
