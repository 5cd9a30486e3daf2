#if !canImport(Runtime) || canImport(Darwin)
  import Foundation

  /// The functions that led to a place in the engine, by name alone.
  final class CallStack: Sendable {
    /// What tells one place from another.
    let addresses: [String]

    private init(_ addresses: [String]) {
      self.addresses = addresses
    }

    /// Takes the names of the functions that are running.
    static func capture() -> CallStack? { CallStack(Thread.callStackSymbols) }

    /// The first function outside of the engine; its name is the mangled one.
    func site(of property: String) -> SourceSite {
      let names = addresses.compactMap { line in
        line.split(separator: " ").first { $0.hasPrefix("$s") }.map(String.init)
      }
      return SourceSite(function: names.first { !StackFrames.isEngine($0) && !$0.hasSuffix("vg") })
    }
  }
#endif
