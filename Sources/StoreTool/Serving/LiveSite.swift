import Foundation
import Synchronization

/// The pages of a store in the state of its last save.
///
/// A JSON store is read without its lock, and again when its files have changed; other stores show
/// the saves of others by themselves.
final class LiveSite: Sendable {
  private let url: String
  private let port: UInt16
  private let current: Mutex<(state: [String], site: StoreSite)>

  /// Opens a store for reading.
  ///
  /// - Throws: Errors of opening.
  init(_ url: String, port: UInt16) throws {
    (self.url, self.port) = (OpenedStore.unlocked(url), port)
    let state = HistoryFollower.state(of: url)
    current = Mutex((state, StoreSite(try OpenedStore(self.url), port: port)))
  }

  /// Returns the response to a request; `nil` is a request that did not arrive in time.
  func respond(_ bytes: [UInt8]?) -> [UInt8] { site.respond(bytes) }

  private var site: StoreSite {
    current.withLock { current in
      let state = HistoryFollower.state(of: url)
      // A store that cannot be read now is shown in its earlier state.
      if url.hasPrefix("json:"), state != current.state, let opened = try? OpenedStore(url) {
        current = (state, StoreSite(opened, port: port))
      }
      return current.site
    }
  }
}
