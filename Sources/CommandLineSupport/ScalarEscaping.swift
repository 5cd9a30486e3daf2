extension String {
  /// Replaces scalars that have a meaning in the language of an output.
  ///
  /// Readers of HTML, CSV, JSON and the like process scalars or bytes. Comparing a `Character`
  /// fails: `"` with a combining mark after it, or `<` after U+0600, is one character that equals
  /// neither.
  ///
  /// - Parameter replacement: Returns the replacement of a scalar, or `nil` to keep it.
  /// - Returns: The string with the replacements.
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
