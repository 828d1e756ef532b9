/// All entities of a catalogue, page by page.
struct EntityPages: AsyncSequence, Sendable {
  let lookup: EntityLookup
  let types: [EntityType]
  let pageSize: Int

  /// Starts at the first entity.
  func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

  /// The position of a reader of pages.
  struct Iterator: AsyncIteratorProtocol {
    let pages: EntityPages
    private var last: UInt32 = 0

    init(pages: EntityPages) { self.pages = pages }

    /// Returns the next page, or `nil` after the last.
    ///
    /// - Throws: ``CatalogueError``; `CancellationError`.
    mutating func next() async throws -> [EntityValue]? {
      while true {
        let page = try await pages.lookup.page(
          after: last, types: pages.types, limit: pages.pageSize)
        if !page.values.isEmpty || page.last == last {
          last = page.last
          return page.values.isEmpty ? nil : page.values
        }
        // No entity of this page can be read, but the next page may have readable ones.
        last = page.last
      }
    }
  }
}
