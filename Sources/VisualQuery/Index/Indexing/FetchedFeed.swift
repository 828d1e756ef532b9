/// A feed that was fetched from a server into a file, which is removed at the end of the run.
struct FetchedFeed: Sendable {
  /// The most bytes of a feed on a server.
  private static let byteLimit = 512 << 20
  private static let timeLimit = Duration.seconds(600)

  private let folder: TemporaryFolder
  /// The file.
  let path: String

  /// Fetches a feed under the rules for images: from the allowed hosts only, and from public
  /// addresses.
  ///
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`.
  init(_ url: String, policy: FetchPolicy?) throws(CatalogueError) {
    let shown = ShownAddress.of(url)
    guard var policy else {
      let host = shown.split(separator: "/").dropFirst().first?.split(separator: "@").last ?? "HOST"
      throw CatalogueError(
        code: .unreadableInput,
        message: "'\(shown)' is on a server; to fetch it, use --fetch --allow-host \(host)")
    }
    policy.byteLimit = Self.byteLimit
    policy.timeLimit = Self.timeLimit
    let client = try HTTPClient(policy: policy)
    let body: [UInt8]
    do throws(FetchError) {
      let request = HTTPClient.Request(
        url: url, accept: "application/xml, text/csv, application/json, */*;q=0.8")
      let response = try client.get(request, shouldStop: { Task.isCancelled })
      guard response.status == 200 else {
        throw FetchError(code: .unusable, message: "the server answers \(response.status)")
      }
      body = response.body
    } catch {
      throw CatalogueError(
        code: .unreadableInput, message: "cannot fetch '\(shown)': \(error.message)")
    }
    folder = try TemporaryFolder()
    // Names the file like the feed, so that messages about it can be understood.
    let name =
      url.prefix { !"?#".contains($0) }.split(separator: "/").last.map(String.init) ?? "feed"
    path =
      folder.path + "/"
      + String(name.filter { $0.isLetter || $0.isNumber || "._-".contains($0) }.suffix(60))
    do throws(CatalogueError) {
      try CatalogueFile.write(
        body, to: String(path.dropFirst(folder.path.count + 1)), in: folder.path)
    } catch {
      folder.remove()
      throw error
    }
  }

  func remove() { folder.remove() }
}
