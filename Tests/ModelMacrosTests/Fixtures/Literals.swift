// swift-format-ignore-file
@Model final class Trip {
  var quoted = "a \"quote\" and \(items.map { "nested \(name + "}")" }.joined(separator: ", ")) }"
  var raw = #"raw \(not) " \#(yes + "}") "#
  var lines = """
    { "var": "x" }
    \("""
      var inner: Int = 1
      """)
    """
  var rawLines = ##"""
    "#"# { \#(no) \##(yes)
    """##
  var oneQuote = #"""#
  var pattern = /a[{]b\/(c|")/
  var extended = #/ } " ' /#
  var divided = 10 / 2 / 5
  var hexadecimal = 0xFF_00
  var exponent = 1e-3
  var hexFloat = 0x1.8p3
  var member = 1.description
  var negative = -0.5
  var text: String = "}" /* } /* nested { */ " */
  var after: Int? // var hidden: Int
  var last: Character = "\u{1F600}"
}
