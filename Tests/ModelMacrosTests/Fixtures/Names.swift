// swift-format-ignore-file
@Model final class `Type` {
  var `default`: Int = 1
  var `init`: String = ""
  var `in two words`: [Int] = []
  var description: String = ""
  var $value: Int { 1 }
  var größe: Double = 1
  var open = 1
  var set: Set<String> = []
  var get: Int = 0
  var `weak`: Bool = true
}
