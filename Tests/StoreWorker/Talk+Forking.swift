import Foundation

extension Talk {
  /// Forks, or does what children do.
  ///
  /// - Returns: The number of the child, nothing in the child itself.
  func fork(_ words: [String]) throws -> String {
    let paths = Array(words.dropFirst())
    switch (words[0], paths.count) {
    case ("branch", 2):
      let child = try Process.fork()
      guard child == 0 else { return "\(child)" }
      // Files of the child's own instead of those that it shares.
      guard dup2(open(paths[0], O_RDONLY), 0) == 0, dup2(open(paths[1], O_WRONLY), 1) == 1 else {
        _exit(70)
      }
      return ""
    case ("brancher", 1):
      let url = url
      Thread.detachNewThread { Self.branch(for: paths[0], url) }
      return ""
    case ("become", 0): Self.become(url)
    case ("leave", 0): _exit(0)
    default: throw WorkerError.usage("'\(words)' is not understood")
    }
  }

  /// Forks for each line of a file, while another thread of this process may be saving.
  ///
  /// A child of such a process may call next to nothing: what it needs is there before.
  private static func branch(for path: String, _ url: String) {
    let arguments = commandLine("run", url, "put 1", "--count", "0")
    let nothing = open("/dev/null", O_RDWR)
    guard let orders = fopen(path, "r") else { _exit(70) }
    var line = [CChar](repeating: 0, count: 64)
    while fgets(&line, Int32(line.count), orders) != nil {
      let leaves = line[0] == CChar(UInt8(ascii: "l"))
      guard let child = try? Process.fork(), child == 0 else { continue }
      if !leaves {
        for descriptor: Int32 in 0...2 { dup2(nothing, descriptor) }
        execv("/proc/self/exe", arguments)
      }
      _exit(0)
    }
  }

  private static func become(_ url: String) -> Never {
    execv("/proc/self/exe", commandLine("talk", url))
    _exit(71)
  }

  /// The command line of a new worker; it is never freed.
  private static func commandLine(_ words: String...) -> [UnsafeMutablePointer<CChar>?] {
    (["storeworker"] + words).map { (word: String) in strdup(word) } + [nil]
  }

  /// What a child that inherits the open store meets.
  ///
  /// - Returns: How the child ended: zero, or the signal that ended it.
  mutating func performInChild(_ words: ArraySlice<String>) throws -> Int32 {
    let child = try Process.fork()
    guard child == 0 else {
      var status: Int32 = 0
      waitpid(child, &status, 0)
      return status & 0x7f
    }
    let response: String
    do {
      try perform(words)
      response = "CHILD ACK"
    } catch {
      response = "CHILD NAK \(error.word)"
    }
    // A child that ends in order lets go of the store, which must not harm the parent's.
    session = nil
    Output.line(response)
    _exit(0)
  }
}

extension Process {
  /// Forks this process.
  ///
  /// The C library's header says that Swift must not call it: other threads are not there in the
  /// child. It is what a program gets that does so all the same.
  ///
  /// - Returns: The child's number, or 0 in the child.
  fileprivate static func fork() throws -> pid_t {
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else {
      throw WorkerError.usage("there is no fork here")
    }
    return unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
  }
}
