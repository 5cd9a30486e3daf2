// swift-format-ignore-file
@available(macOS 15, *)
@ModelActor public actor Worker: Sendable {
  var counter = 0
}
