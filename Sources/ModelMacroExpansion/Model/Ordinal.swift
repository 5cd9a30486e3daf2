/// The place of a property among the persisted ones of its class.
///
/// With `#if` blocks before it, the place depends on what the compiler keeps: each block adds a
/// constant of the generated code that says how many properties it has.
struct Ordinal: Equatable {
  var count = 0
  /// The numbers of the blocks whose properties come before.
  var blocks: [Int] = []

  /// The place as an expression of the generated code.
  var expression: String {
    (blocks.map { "_$Index.block\($0)" } + (count > 0 || blocks.isEmpty ? ["\(count)"] : []))
      .joined(separator: " + ")
  }
}
