// Apple's systems have the module from a later version on than this package asks for.
#if canImport(Runtime) && !canImport(Darwin)
  import Runtime

  /// The functions that led to a place in the engine: addresses, until somebody asks for more.
  struct CallStack: Hashable {
    private let backtrace: Backtrace
    private let addresses: [String]

    /// Takes the addresses of the functions that are running; nil where the system does not tell.
    static func capture() -> CallStack? {
      guard let backtrace = try? Backtrace.capture(limit: 48) else { return nil }
      return CallStack(backtrace: backtrace, addresses: backtrace.frames.map { "\($0)" })
    }

    static func == (lhs: CallStack, rhs: CallStack) -> Bool { lhs.addresses == rhs.addresses }

    func hash(into hasher: inout Hasher) { hasher.combine(addresses) }

    /// The first place outside of the engine and of the accessor of a property.
    func site(of property: String) -> SourceSite? {
      guard let frames = backtrace.symbolicated(options: [.default])?.frames else { return nil }
      let symbols = frames.compactMap(\.symbol).drop { StackFrames.isEngine($0.rawName) }
      let site = symbols.first { symbol in
        !StackFrames.isEngine(symbol.rawName)
          && !StackFrames.isAccessor(symbol.name, of: property)
          && symbol.sourceLocation?.path.contains("@__swiftmacro") != true
          && symbol.sourceLocation?.path.hasSuffix("<compiler-generated>") != true
          && !symbol.rawName.hasSuffix("TK")
      }
      return site.map { symbol in
        // Without debug information there is no path, or an empty one.
        let place = symbol.sourceLocation.flatMap { $0.path.isEmpty ? nil : $0 }
        return SourceSite(file: place?.path, line: place?.line, function: symbol.name)
      }
    }
  }
#endif
