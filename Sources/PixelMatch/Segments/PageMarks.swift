internal import CMapping

/// The numbers of pages that threads have marked. Numbers are only added, without a lock.
///
/// `@unchecked Sendable`: after `init` all accesses of the memory are atomic (``CMapping``), and `deinit` runs when no
/// reference is left.
@safe final class PageMarks: @unchecked Sendable {
  private let words: UnsafeMutablePointer<UInt64>
  /// The number of pages.
  let count: Int

  /// Makes marks for pages from 0, none of which is marked.
  init(count: Int) {
    self.count = count
    let wordCount = count / 64 + 1
    unsafe words = .allocate(capacity: wordCount)
    unsafe words.initialize(repeating: 0, count: wordCount)
  }

  deinit { unsafe words.deallocate() }

  /// Returns the first page of a range that is not marked, or `nil` if all are.
  func firstUnmarked(in pages: Range<Int>) -> Int? {
    precondition(pages.lowerBound >= 0 && pages.upperBound <= count, "pages outside the marks")
    // Sound: each page has a bit.
    let first = unsafe cm_first_unmarked(words, pages.lowerBound, pages.upperBound)
    return first < pages.upperBound ? first : nil
  }

  /// Marks a page.
  func insert(_ page: Int) {
    precondition(page >= 0 && page < count, "a page outside the marks")
    // Sound: each page has a bit.
    unsafe cm_mark(words, page)
  }
}
