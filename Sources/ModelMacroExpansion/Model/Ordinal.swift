/// The index of a property among the persisted ones of its class.
///
/// With `#if` blocks before it, the index depends on the branches that the compiler keeps. Each
/// block adds a constant of the generated code with its number of properties.
struct Ordinal: Equatable {
  var count = 0
  /// The numbers of the blocks whose properties precede it.
  var blocks: [Int] = []

  /// The index as an expression of the generated code.
  var expression: String {
    (blocks.map { "_$Index.block\($0)" } + (count > 0 || blocks.isEmpty ? ["\(count)"] : []))
      .joined(separator: " + ")
  }
}
