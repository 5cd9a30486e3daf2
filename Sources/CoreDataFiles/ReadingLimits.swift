/// The bounds within which bytes from other sources are read.
///
/// The largest models of Apple's own apps are below a megabyte. Input that exceeds a limit is a
/// ``FormatError``, never a large allocation.
package struct ReadingLimits: Sendable {
  /// The maximum number of bytes that decompressing may produce, and the maximum size of a property
  /// list.
  package var size = 16 << 20
  /// The maximum number of objects of one property list, and of values of one archived value.
  package var objects = 500_000
  /// The maximum nesting of an archived value or an XML document.
  package var depth = 64
  /// The maximum number of entities of a model.
  package var entities = 4_096
  /// The maximum number of properties of a model, inherited ones counted again for each entity.
  package var properties = 100_000

  /// Creates the default limits.
  package init() {}
}
