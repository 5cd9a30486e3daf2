/// A response to a browser.
struct HTTPResponse {
  let status: HTTPStatus
  let contentType: String
  let body: [UInt8]
  /// Whether a browser saves the body as a file instead of showing it.
  let isAttachment: Bool

  init(_ status: HTTPStatus = .ok, contentType: String, _ text: String) {
    self.status = status
    self.contentType = contentType
    body = Array(text.utf8)
    isAttachment = false
  }

  /// Creates a response of bytes, which no browser shows as a page.
  init(attachment bytes: [UInt8]) {
    status = .ok
    contentType = "application/octet-stream"
    body = bytes
    isAttachment = true
  }

  /// Returns the response in the form for the connection, which closes after it.
  ///
  /// A request may ask only for the head.
  func bytes(includesBody: Bool = true) -> [UInt8] {
    var lines = [
      "HTTP/1.1 \(status.code) \(status.reason)",
      "Content-Type: \(contentType)",
      "Content-Length: \(body.count)",
      "Connection: close",
      "Cache-Control: no-store",
      // No script, no external content, no embedding in a frame.
      "Content-Security-Policy: default-src 'none'; style-src 'self'; img-src data:;"
        + " base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      "X-Content-Type-Options: nosniff",
      "Referrer-Policy: no-referrer",
      "Cross-Origin-Resource-Policy: same-origin",
    ]
    if isAttachment { lines.append("Content-Disposition: attachment") }
    if status == .methodNotAllowed { lines.append("Allow: GET, HEAD") }
    let head = lines.joined(separator: "\r\n") + "\r\n\r\n"
    return Array(head.utf8) + (includesBody ? body : [])
  }
}
