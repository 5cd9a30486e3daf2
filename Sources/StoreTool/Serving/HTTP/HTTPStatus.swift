/// The outcome of a request.
struct HTTPStatus: Error, Hashable {
  let code: Int
  let reason: String

  static let ok = HTTPStatus(code: 200, reason: "OK")
  static let badRequest = HTTPStatus(code: 400, reason: "Bad Request")
  static let notFound = HTTPStatus(code: 404, reason: "Not Found")
  static let methodNotAllowed = HTTPStatus(code: 405, reason: "Method Not Allowed")
  static let timeout = HTTPStatus(code: 408, reason: "Request Timeout")
  static let contentTooLarge = HTTPStatus(code: 413, reason: "Content Too Large")
  static let targetTooLong = HTTPStatus(code: 414, reason: "URI Too Long")
  static let misdirected = HTTPStatus(code: 421, reason: "Misdirected Request")
  static let headTooLarge = HTTPStatus(code: 431, reason: "Request Header Fields Too Large")
  static let failed = HTTPStatus(code: 500, reason: "Internal Server Error")
  static let unknownVersion = HTTPStatus(code: 505, reason: "HTTP Version Not Supported")
}
