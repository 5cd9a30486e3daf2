import OpenSwiftData
import StoreTestSupport
import Testing

/// Something that a program does again and again.
struct Pattern: Sendable, CustomTestStringConvertible {
  let name: String
  /// Whether a round opens a store of its own or commits more than a few times, so that there are fewer rounds.
  let isSlow: Bool
  let perform: @Sendable (Scene) async throws -> Void

  init(
    _ name: String,
    isSlow: Bool = false,
    _ perform: @escaping @Sendable (Scene) async throws -> Void
  ) {
    self.name = name
    self.isSlow = isSlow
    self.perform = perform
  }

  var testDescription: String { name }

  static let all =
    outliving + relating + ending + merging + asking + observing + owning
}
