#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The compiler plugin's main loop.
package enum Plugin {
  /// Handles each request until the compiler closes the pipe.
  package static func run() {
    let channel = MessageChannel(input: 0, output: 1)
    var lastModel = LastModel()
    while let request = channel.receive() {
      guard channel.send(response(to: request, after: &lastModel)) else { return }
    }
  }

  /// Returns the response to one request, in JSON; an unreadable request gets a response without an
  /// expansion.
  static func response(to request: [UInt8], after lastModel: inout LastModel) -> [UInt8] {
    let message = try? JSONDecoder().decode(HostMessage.self, from: Data(request))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let encoded = try? encoder.encode(handle(message, after: &lastModel)) else {
      return Array("{}".utf8)
    }
    return Array(encoded)
  }

  /// Returns the response to one message.
  static func handle(_ message: HostMessage?, after lastModel: inout LastModel) -> PluginMessage {
    if message?.getCapability != nil {
      return .getCapabilityResult(capability: PluginMessage.Capability())
    }
    if let request = message?.expandAttachedMacro {
      return Expansion.response(to: request, after: &lastModel)
    }
    if message?.expandFreestandingMacro != nil {
      // #Unique and #Index are read by @Model from the body of the class.
      return .expandMacroResult(expandedSource: "", diagnostics: [])
    }
    return .expandMacroResult(expandedSource: nil, diagnostics: [])
  }
}
