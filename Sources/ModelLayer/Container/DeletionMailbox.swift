import StoreProtocol
import Synchronization

/// What other contexts of a container removed since a context last looked.
final class DeletionMailbox: Sendable {
  /// What was removed.
  struct Mail: Sendable {
    /// The identifiers of removed rows.
    var identifiers: [PersistentIdentifier] = []
    /// Whether all rows of a store were removed at once.
    var hasErased = false
  }

  private let mail = Mutex(Mail())

  /// Takes what has come in since the last time.
  func take() -> Mail {
    mail.withLock { mail in
      defer { mail = Mail() }
      return mail
    }
  }

  /// Puts something in.
  func put(_ identifiers: [PersistentIdentifier], hasErased: Bool) {
    mail.withLock { mail in
      mail.identifiers += identifiers
      mail.hasErased = mail.hasErased || hasErased
    }
  }
}
