import Foundation

/// A server that ends with the test process.
///
/// A shell between waits for the end of the test process, however that comes, then ends the server
/// by its process identifier and removes the folder.
final class ChildServer: Sendable {
  private let lifeline: Pipe

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - name: The name, for errors.
  ///   - folder: The server's folder.
  ///   - start: Shell commands that start the server with `$run`, set `server` to its process
  ///     identifier, and wait until it is ready.
  /// - Throws: ``ClusterError`` with the server's log.
  init(_ name: String, in folder: URL, _ start: String) throws {
    lifeline = Pipe()
    // Children of other tests must not keep the pipe open.
    _ = fcntl(lifeline.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", Self.script(start), "server", folder.path]
    process.standardInput = lifeline
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let line = output.fileHandleForReading.availableData
    guard line == Data("ready\n".utf8) else {
      let log = (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? ""
      throw ClusterError(description: "\(name) does not start: \(log)")
    }
  }

  /// Creates a folder for a server of this process.
  static func makeFolder(_ kind: String) throws -> URL {
    // The path of a socket has at most 107 bytes.
    let folder = URL(filePath: "/tmp").appending(path: "osd-\(kind)-\(getpid())")
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return folder
  }

  /// Starts the server, says so, and waits for the end of its input.
  ///
  /// The servers refuse to run as root.
  private static func script(_ start: String) -> String {
    """
    folder=$1; run=
    if [ "$(id -u)" = 0 ]; then
      id postgres >/dev/null || exit 1
      chown postgres "$folder"; run="setpriv --reuid=postgres --regid=postgres --clear-groups --"
    fi
    cd "$folder"
    trap '' INT HUP TERM
    \(start)
    echo ready
    cat >/dev/null
    kill -INT $server; wait $server
    rm -rf "$folder"
    """
  }
}
