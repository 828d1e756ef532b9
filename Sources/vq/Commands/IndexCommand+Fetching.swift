import PixelMatch
import VisualQuery

/// The options by which images and feeds are fetched.
extension IndexCommand {
  static let fetch = Option<Bool>.flag(
    OptionText(
      "fetch", "fetch images from servers; requires --allow-host",
      detail:
        "From public addresses only, at most 16 MB and 20 s each, 16 at a time or as few as the host asks for. They are "
        + "stored in the index; the next run checks whether they have changed. An answer that is not an image leaves the last "
        + "one as it is; one that is gone leaves after three days on which its host sent others."))
  static let allowHost = Option<[HostPattern]>.hosts(
    OptionText(
      "allow-host", "hosts that images may be fetched from",
      detail: "Redirects to other hosts are rejected. *.shop.example stands for all subdomains."))
  static let caFile = Option<String?>.path(
    OptionText(
      "ca-file", "certificates of the authorities of image servers, in PEM",
      detail: "For a private authority. By default the file that SSL_CERT_FILE names, otherwise "
        + "those of the system.", isRare: true), "FILE", of: .files)
  static let fetchRate = Option<Double?>.number(
    OptionText(
      "fetch-rate", "the most requests a second to a host",
      detail: "A host that answers 429 or 503 gets fewer anyway.",
      standard: "as many as the host answers", isRare: true), "NUMBER", in: 0.01...10_000)
  static let fetchTime = Option<Int?>.integer(
    OptionText(
      "fetch-time", "the time for all images, in seconds",
      detail:
        "Then the run publishes what it has, and the next one goes on. New images come first. The exit code is 9 if some "
        + "of them are still to come.", standard: "no limit", isRare: true),
    in: 1...1_000_000)
  static let userAgent = Option<String?>(
    OptionText(
      "user-agent", "the name by which image servers know the requests",
      standard: "VisualQuery", isRare: true),
    value: ValueDescription(
      placeholder: "TEXT", accepts: "at most 256 letters of ASCII", completion: .nothing)
  ) { text -> String? in
    let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    return isPlain && (1...256).contains(text.utf8.count) ? text : nil
  }
  static let fetchHeader = Option<[String]>(
    OptionText(
      "fetch-header", "a header field for image servers: Authorization=@token.txt",
      detail:
        "The value is the first line of the file, and is never shown. It is sent to the host of each address, not to those "
        + "that it is redirected to; cdn.shop.example:Authorization=@token.txt to that host only.",
      isRare: true),
    value: ValueDescription(
      placeholder: "NAME=@FILE", accepts: "a field and a file such as Authorization=@token.txt",
      completion: .nothing),
    mayRepeat: true, initial: [],
    parse: { text in
      guard let sign = text.firstRange(of: "=@"), sign.upperBound < text.endIndex,
        FetchHeader(String(text[..<sign.lowerBound]), value: "x") != nil
      else { return nil }
      return text
    }, add: { $0.append($1) })

  /// The options that do nothing unless images are fetched.
  private static func needless(_ arguments: ParsedArguments) -> String? {
    let given: [(String, Bool)] = [
      ("--allow-host", !arguments[allowHost].isEmpty),
      ("--fetch-rate", arguments[fetchRate] != nil),
      ("--fetch-time", arguments[fetchTime] != nil), ("--user-agent", arguments[userAgent] != nil),
      ("--fetch-header", !arguments[fetchHeader].isEmpty),
    ]
    return given.first { $0.1 }?.0
  }

  static func policy(of arguments: ParsedArguments) throws -> FetchPolicy? {
    guard arguments[fetch] else {
      if let option = needless(arguments) {
        throw CommandFailure(.usage, "\(option) requires --fetch: nothing is fetched without it")
      }
      return nil
    }
    guard !arguments[allowHost].isEmpty else {
      throw CommandFailure(
        .usage,
        "--fetch requires --allow-host HOST: the hosts that images may be fetched from")
    }
    var policy = FetchPolicy(arguments[allowHost])
    policy.privateAddresses = arguments[allowPrivateAddress]
    policy.authorityFile = arguments[caFile]
    if let file = arguments[caFile], !FileDescriptor.exists(file) {
      throw CommandFailure(.usage, "--ca-file: there is no file '\(file)'")
    }
    policy.rate = arguments[fetchRate]
    policy.runTime = arguments[fetchTime].map { .seconds($0) }
    policy.userAgent = arguments[userAgent] ?? policy.userAgent
    policy.headers = try arguments[fetchHeader].map(header)
    return policy
  }

  /// Reads a header field and the file with its value, which is in no message.
  private static func header(_ text: String) throws -> FetchHeader {
    guard let sign = text.firstRange(of: "=@") else {
      throw CommandFailure(.usage, "--fetch-header: expected NAME=@FILE")
    }
    let (name, file) = (String(text[..<sign.lowerBound]), String(text[sign.upperBound...]))
    let content: [UInt8]
    do throws(DecodeError) {
      let limits = DecodeLimits(byteLimit: 2 * FetchHeader.valueLimit)
      content = try ImageDecoder(limits: limits).contents(ofFile: file)
    } catch {
      throw CommandFailure(
        .usage, "--fetch-header \(name): cannot read the file '\(DisplayText.escaped(file))'")
    }
    let line = content.prefix { $0 != 0x0A && $0 != 0x0D }
    let rest = content.dropFirst(line.count).allSatisfy { [0x0A, 0x0D].contains($0) }
    guard rest, let value = String(validating: line, as: UTF8.self), FetchHeader.isValue(value),
      let header = FetchHeader(name, value: value)
    else {
      throw CommandFailure(
        .usage,
        "--fetch-header \(name): the file '\(DisplayText.escaped(file))' must hold one line of at most "
          + "\(FetchHeader.valueLimit) bytes")
    }
    return header
  }

  /// Reports the images that the run did not come to, and those of which an earlier version is kept.
  static func reportFetching(_ result: Indexer.Progress, to console: Console) {
    if result.keptImages > 0 {
      console.diagnostics.warning(
        "kept \(DisplayText.count(result.keptImages, "old image", "old images")), because the new ones "
          + "could not be read; 'vq doctor' tells since when")
    }
    guard result.backlog.images + result.backlog.checks > 0 else { return }
    for host in result.backlog.hosts {
      var parts: [String] = []
      if host.images > 0 {
        parts.append("\(DisplayText.count(host.images, "image is", "images are")) still to come")
      }
      if host.checks > 0 {
        parts.append(
          "\(DisplayText.count(host.checks, "image was", "images were")) not checked again")
      }
      let time = FetchBacklog(hosts: [host]).seconds.map { seconds in
        let words = seconds < 120 ? "\(seconds) s" : "\((seconds + 59) / 60) minutes"
        return
          "; that takes about \(words) at its \((10 * (host.rate ?? 0)).rounded() / 10) a second"
      }
      console.diagnostics.warning(
        "'\(DisplayText.escaped(host.name))': \(parts.joined(separator: ", "))\(time ?? "")",
        advice: ["to continue, run the same command again"])
    }
  }
}
