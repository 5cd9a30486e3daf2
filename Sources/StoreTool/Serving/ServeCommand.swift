import CommandLineSupport
import Foundation
import OpenSwiftData

/// `storectl serve`: serves pages about a store.
enum ServeCommand {
  private static let store = Option(
    "store",
    value: "URL",
    "The store, as the argument URL."
  )
  private static let url = Argument(
    "URL",
    "The store to show, such as sqlite:FILE.",
    count: .optional
  )
  private static let port = Option(
    "port",
    value: "N",
    "The port to listen on; 0 for any free port.",
    default: "8765"
  )

  static let command = Command(
    "serve",
    "Shows a store as read-only pages in a browser on this machine.",
    discussion: """
      Listens on 127.0.0.1 until it is stopped. Meanwhile every user of this machine
      can read the store. Other programs can save to it; pages show the last save.
      """,
    options: [store, port],
    arguments: [url]
  ) { invocation, console in
    let url = try OpenedStore.named(url, or: store, invocation)
    let number = try invocation.integer(port, in: 0...Int(UInt16.max)) ?? 0
    let server = try LoopbackServer(port: UInt16(number))
    let site = try LiveSite(url, port: server.port)
    console.print("http://127.0.0.1:\(server.port)/")
    try console.output.flush()
    try server.run(site.respond)
  }
}
