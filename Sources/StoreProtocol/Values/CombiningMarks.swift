import Foundation

/// Runs of combining marks, such as accents, of any length.
///
/// Swift and Foundation sort the marks of a run by insertion when they compare, hash or compose a
/// string, which takes time that grows with the square of the run's length: minutes for a file of a
/// megabyte. No language has more than a few marks in a row, but any file can. (From 32 marks in a
/// row, Foundation also loses some.)
enum CombiningMarks {
  /// The number of marks in a row beyond which strings are composed here: that of Unicode's
  /// stream-safe format.
  private static let limit = 30
  /// The number of bytes of a string that cannot have more.
  @inline(__always) static var shortSize: Int { 60 }

  /// Returns whether a string has more marks in a row than the limit.
  ///
  /// - Complexity: O(*n*) in the length, where one scalar of 60 bytes is examined.
  static func areMany(in text: String) -> Bool {
    let utf8 = text.utf8
    var position = utf8.startIndex
    // So many marks have more bytes, one of which is at a multiple of the distance.
    while let next = utf8.index(position, offsetBy: shortSize, limitedBy: utf8.endIndex),
      next < utf8.endIndex
    {
      if areMany(around: next, in: text.unicodeScalars) { return true }
      position = next
    }
    return false
  }

  private static func areMany(
    around position: String.Index,
    in scalars: String.UnicodeScalarView
  ) -> Bool {
    var count = 0
    var index = position
    while index < scalars.endIndex, count <= limit, isMark(scalars[index]) {
      count += 1
      index = scalars.index(after: index)
    }
    guard count > 0 else { return false }
    index = position
    while index > scalars.startIndex, count <= limit {
      index = scalars.index(before: index)
      guard isMark(scalars[index]) else { break }
      count += 1
    }
    return count > limit
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x300: false
    // Tibetan vowels that consist of two marks, and are none by their own class.
    case 0xF73, 0xF75, 0xF81: true
    default: scalar.order > 0
    }
  }

  /// Returns a string without the marks beyond the limit of each run.
  static func limited(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      count = isMark(scalar) ? count + 1 : 0
      if count <= limit { result.append(scalar) }
    }
    return String(result)
  }

  /// Returns the composed form (NFC) of a string.
  ///
  /// - Complexity: O(*n*), whatever its marks are.
  static func composed(_ text: String) -> String {
    var composition = Composition()
    for scalar in text.unicodeScalars { composition.append(scalar) }
    return composition.result()
  }

  /// A composition in pieces, each of which ends with a long run of marks.
  ///
  /// A letter composes with at most three marks, and with none after one of the same class that is
  /// left. Of a long run, Foundation therefore composes the first four marks of each class. Nothing
  /// composes across the others.
  private struct Composition {
    private var done = String.UnicodeScalarView()
    private var piece = String.UnicodeScalarView()
    private var run: [Unicode.Scalar] = []

    mutating func append(_ scalar: Unicode.Scalar) {
      guard isMark(scalar) else {
        endRun()
        return piece.append(scalar)
      }
      run += scalar.decomposedMark
    }

    mutating func result() -> String {
      endRun()
      done += compose()
      return String(done)
    }

    private mutating func endRun() {
      defer { run = [] }
      guard run.count > limit else { return piece.append(contentsOf: run) }
      let classes = Self.classes(run)
      for marks in classes { piece.append(contentsOf: marks.prefix(4)) }
      var composed = compose()
      var left: [Unicode.Scalar] = []
      while let last = composed.last, last.order > 0 { left.append(composed.removeLast()) }
      done += composed
      let rest = classes.flatMap { $0.dropFirst(4) }
      done.append(contentsOf: Self.classes(left.reversed() + rest).joined())
    }

    private mutating func compose() -> String.UnicodeScalarView {
      defer { piece = String.UnicodeScalarView() }
      return String(piece).precomposedStringWithCanonicalMapping.unicodeScalars
    }

    /// Returns marks by their classes, in canonical order.
    private static func classes(_ marks: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
      var classes: [[Unicode.Scalar]] = Array(repeating: [], count: 256)
      for mark in marks { classes[mark.order].append(mark) }
      return classes
    }
  }
}

extension Unicode.Scalar {
  /// The canonical combining class.
  fileprivate var order: Int { Int(properties.canonicalCombiningClass.rawValue) }

  /// The canonical decomposition of a mark.
  fileprivate var decomposedMark: [Unicode.Scalar] {
    switch value {
    case 0x340: ["\u{300}"]
    case 0x341: ["\u{301}"]
    case 0x343: ["\u{313}"]
    case 0x344: ["\u{308}", "\u{301}"]
    case 0xF73: ["\u{F71}", "\u{F72}"]
    case 0xF75: ["\u{F71}", "\u{F74}"]
    case 0xF81: ["\u{F71}", "\u{F80}"]
    default: [self]
    }
  }
}

extension String {
  /// The composed form (NFC).
  ///
  /// - Complexity: O(*n*), whatever its combining marks are.
  package var composed: String {
    if precedesComposition { return self }
    return CombiningMarks.areMany(in: self)
      ? CombiningMarks.composed(self) : precomposedStringWithCanonicalMapping
  }

  /// Whether all scalars precede U+0300, the first one that a composition can need.
  ///
  /// Such strings, which most are, are composed, and are only scanned.
  package var precedesComposition: Bool {
    utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0 < 0xCC } } ?? false
  }

  /// The string, or its composed form if Swift would take long to compare or hash it.
  ///
  /// Swift's equality and hash of both are the same.
  @inline(__always)
  package var comparable: String { utf8.count <= CombiningMarks.shortSize ? self : comparableText }

  @inline(never)
  private var comparableText: String {
    CombiningMarks.areMany(in: self) ? CombiningMarks.composed(self) : self
  }

  /// The string, with at most 30 combining marks in a row, which any search needs.
  package var searchable: String {
    guard utf8.count > CombiningMarks.shortSize, CombiningMarks.areMany(in: self) else {
      return self
    }
    return CombiningMarks.limited(CombiningMarks.composed(self))
  }
}
