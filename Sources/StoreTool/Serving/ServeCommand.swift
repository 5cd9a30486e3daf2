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
    "The store to look into: sqlite:FILE or json:FILE.",
    count: .optional
  )
  private static let port = Option(
    "port",
    value: "N",
    "The port to listen on; 0 for any that is free.",
    default: "8765"
  )

  static let command = Command(
    "serve",
    "Shows a store as pages in a browser, on this machine and to read only.",
    discussion: """
      Listens on 127.0.0.1 until it is stopped. Whoever may use this machine can read
      the store meanwhile. Others can use and save it; each page shows the last save.
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
    try server.run(site.answer)
  }
}
