/// What libFuzzer calls with each input: a request stream, or the body of a form.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  _ = try? Multipart.parts(of: bytes, boundary: "b")
  _ = try? Multipart.boundary(ofContentType: String(decoding: bytes, as: UTF8.self))
  let whole = requests(bytes, piece: max(1, count))
  precondition(whole == requests(bytes, piece: 1 + count % 7), "it matters how bytes are cut")
  return 0
}

/// The events of a stream that comes in pieces, and how it ended; bodies are bounded by what came.
private func requests(_ bytes: [UInt8], piece: Int) -> [String] {
  var parser = RequestParser(limits: RequestParser.Limits(bodyBytes: 1024))
  var events: [String] = []
  var rest = bytes[...]
  do throws(HTTPError) {
    while !rest.isEmpty {
      parser.append(rest.prefix(piece))
      rest = rest.dropFirst(piece)
      while let event = try parser.next() { events.append("\(event)") }
      precondition(parser.heldBytes <= 1024 + bytes.count, "more is held than has come")
    }
  } catch {
    events.append("\(error.code)")
  }
  return events
}
