#if !canImport(Runtime) || canImport(Darwin)
  import Foundation

  /// The functions that led to a place in the engine, by name alone.
  struct CallStack: Hashable {
    private let symbols: [String]

    /// Takes the names of the functions that are running.
    static func capture() -> CallStack? { CallStack(symbols: Thread.callStackSymbols) }

    /// The first function outside of the engine; its name is the mangled one.
    func site(of property: String) -> SourceSite? {
      let names = symbols.compactMap { line in
        line.split(separator: " ").first { $0.hasPrefix("$s") }.map(String.init)
      }
      let function = names.first { name in
        !StackFrames.isEngine(name) && !name.hasSuffix("vg") && !name.hasSuffix("TK")
      }
      return function.map { SourceSite(function: $0) }
    }
  }
#endif
