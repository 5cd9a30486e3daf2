/// Finds the name that a mistyped word most likely means.
package enum NearestName {
  /// Returns the name with the fewest edits from the word, or `nil` if there is no similar one.
  ///
  /// - Complexity: O(*n* · *m* · *k*) for *k* names of length *m* and a word of length *n*.
  package static func of(_ word: String, among names: [String]) -> String? {
    let limit = max(1, word.count / 3)
    let near = names.lazy.map { (name: $0, edits: edits(word, $0)) }.filter { $0.edits <= limit }
    if let nearest = near.min(by: { ($0.edits, $0.name) < ($1.edits, $1.name) }) {
      return nearest.name
    }
    guard word.count >= 3 else { return nil }
    return names.filter { $0.hasPrefix(word) }.min()
  }

  /// Counts the letters to insert, remove, replace, or swap with a neighbor.
  static func edits(_ first: String, _ second: String) -> Int {
    let a = Array(first)
    let b = Array(second)
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        let replaced = last[j] + (a[i] == b[j] ? 0 : 1)
        var fewest = min(replaced, last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          fewest = min(fewest, beforeLast[j - 1] + 1)
        }
        row.append(fewest)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
