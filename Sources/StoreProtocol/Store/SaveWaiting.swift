/// The way in which threads wait for the saves of others.
package enum SaveWaiting {
  /// Runs a function that waits, or `nil` if the thread does nothing but wait.
  ///
  /// A queue of bodies lets another thread run bodies meanwhile.
  @TaskLocal package static var current: (@Sendable (_ wait: () -> Void) -> Void)?
}
