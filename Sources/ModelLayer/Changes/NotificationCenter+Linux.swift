#if !canImport(Darwin)
  import Foundation

  extension NotificationCenter {
    /// Observes the notifications with a name, as Foundation's method on Apple's systems does.
    ///
    /// - Parameters:
    ///   - name: The name of the notifications, such as ``ModelContext/didSave``.
    ///   - object: The object that posts them, or `nil` for any.
    /// - Returns: The notifications that are posted from now on, which wait in the sequence until
    ///   they are asked for. The observation ends with the loop.
    public func notifications(
      named name: Notification.Name,
      object: AnyObject? = nil
    ) -> AsyncStream<Notification> {
      AsyncStream { continuation in
        // Unsafe: the token is only given back, once, to this thread-safe center.
        nonisolated(unsafe) let token = addObserver(forName: name, object: object, queue: nil) {
          // Unsafe: as on Apple's systems, the loop gets what was posted, in its own isolation.
          nonisolated(unsafe) let notification = $0
          continuation.yield(notification)
        }
        continuation.onTermination = { _ in self.removeObserver(token) }
      }
    }
  }
#endif
