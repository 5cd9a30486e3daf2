// Apple's systems have the module from a later version on than this package asks for.
#if canImport(Runtime) && !canImport(Darwin)
  import Runtime
  import Synchronization

  /// The functions that led to a place in the engine: addresses, until somebody asks for more.
  final class CallStack: Sendable {
    /// What tells one place from another.
    let addresses: [String]
    private let backtrace: Backtrace
    private let known = Mutex<SourceSite?>(nil)

    private init(_ backtrace: Backtrace) {
      self.backtrace = backtrace
      addresses = backtrace.frames.map { "\($0)" }
    }

    /// Takes the addresses of the functions that are running; nil where the system does not tell.
    static func capture() -> CallStack? {
      (try? Backtrace.capture(limit: 48)).map(CallStack.init)
    }

    /// The first place outside of the engine and of the accessor of a property.
    ///
    /// Names and lines are looked up in the program's file once, which takes a moment.
    func site(of property: String) -> SourceSite {
      known.withLock { known in
        let site = known ?? Self.site(of: property, in: backtrace) ?? SourceSite()
        known = site
        return site
      }
    }

    private static func site(of property: String, in backtrace: Backtrace) -> SourceSite? {
      let symbols = backtrace.symbolicated()?.frames.compactMap(\.symbol) ?? []
      let site = symbols.first { symbol in
        let path = symbol.sourceLocation?.path ?? ""
        return !StackFrames.isEngine(symbol.rawName) && !StackFrames.isEngineSource(path)
          && !StackFrames.isAccessor(symbol.name, of: property)
      }
      return site.map { symbol in
        // Without debug information there is no path, or an empty one.
        let place = symbol.sourceLocation.flatMap { $0.path.isEmpty ? nil : $0 }
        return SourceSite(file: place?.path, line: place?.line, function: symbol.name)
      }
    }
  }
#endif
