/// An error in a declaration, with what to write instead.
struct Diagnostic: Error, Equatable {
  var message: String
  /// The offset within the text that was read.
  var offset: Int
}
