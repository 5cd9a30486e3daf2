import StoreProtocol
import Synchronization

/// What other contexts of a container removed since a context last looked.
final class DeletionMailbox: Sendable {
  /// What was removed.
  struct Mail: Sendable {
    /// The identifiers of removed rows.
    var identifiers: [PersistentIdentifier] = []
    /// Whether so much was removed that the context has to look which objects are left.
    var isMuch = false
  }

  private static let mostIdentifiers = 10_000
  private let mail = Mutex(Mail())

  /// Takes what has come in since the last time.
  func take() -> Mail {
    mail.withLock { mail in
      defer { mail = Mail() }
      return mail
    }
  }

  /// Puts something in.
  func put(_ identifiers: [PersistentIdentifier], isMuch: Bool) {
    mail.withLock { mail in
      // A context that looks seldom must not keep a list of all that ever was.
      mail.isMuch = mail.isMuch || isMuch || mail.identifiers.count > Self.mostIdentifiers
      if !mail.isMuch { mail.identifiers += identifiers } else { mail.identifiers = [] }
    }
  }
}
