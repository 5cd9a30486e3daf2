/// The names under which libpq 5 is installed, and how to install it.
///
/// This file has the target's only platform conditions.
enum LibraryNames {
  #if os(macOS)
    /// The names to try, in this order.
    ///
    /// Homebrew installs libpq outside of the loader's path.
    static let candidates = [
      "libpq.5.dylib",
      "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
      "/usr/local/opt/libpq/lib/libpq.5.dylib",
      "/Applications/Postgres.app/Contents/Versions/latest/lib/libpq.5.dylib",
    ]
    static let advice = "Install libpq 14 or newer: brew install libpq"
  #else
    /// The names to try, in this order.
    static let candidates = ["libpq.so.5"]
    static let advice = """
      Install libpq 14 or newer: apt-get install libpq5 (Debian, Ubuntu), dnf install libpq (Fedora, \
      RHEL), apk add libpq (Alpine), pacman -S postgresql-libs (Arch)
      """
  #endif
}
