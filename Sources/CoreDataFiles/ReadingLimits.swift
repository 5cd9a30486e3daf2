/// The bounds within which bytes from elsewhere are read.
///
/// The largest models of Apple's own apps are below a megabyte. What exceeds a limit is a
/// ``FormatError``, never a large allocation.
package struct ReadingLimits: Sendable {
  /// The most bytes that decompressing may produce, and the largest property list.
  package var size = 16 << 20
  /// The most objects of one property list, and the most values of one archived value.
  package var objects = 500_000
  /// The deepest nesting of an archived value or an XML document.
  package var depth = 64
  /// The most entities of a model.
  package var entities = 4_096
  /// The most properties of a model, inherited ones counted again for each entity.
  package var properties = 100_000

  /// Creates the default limits.
  package init() {}
}
