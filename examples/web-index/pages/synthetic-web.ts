// SPDX-License-Identifier: Apache-2.0
import { type Link, type Page, writeHtml } from './html.ts'

/** What a crawler finds at an url; no body when the page is gone. */
export type Fetch = { readonly url: string; readonly body: string | undefined }

/** A web that is crawled twice: all pages, and then those that have changed or gone since. */
export type Web = { readonly rounds: ReadonlyArray<readonly Fetch[]> }

const SITE_PAGES = 20
const VOCABULARY_WORDS = 2_000
const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ')

// How many pages of a hundred are what.
const EXACT_COPIES = 12
const NEAR_COPIES = 8
const PRINT_VERSIONS = 5
const CHANGED = 20
const GONE = 3

/** The same web for the same seed: pages of invented words, copies of each other, and links between them. */
export function syntheticWeb(pages: number, seed: number): Web {
  const author = new Author(seed)
  const urls = Array.from({ length: pages }, (_, n) => {
    const site = author.word(Math.floor(n / SITE_PAGES))
    return `http://${site}.example/${author.word(n)}-${n}`
  })
  const written: Page[] = []
  for (const n of urls.keys()) {
    const original = author.oneOf(written)
    written.push(original === undefined ? author.page(urls, n) : author.likeness(original, urls, n))
  }
  const first = urls.map((url, n) => ({ url, body: writeHtml(written[n] as Page) }))
  const again = urls.flatMap((url, n): Fetch[] => {
    const chance = author.below(100)
    if (chance < GONE) return [{ url, body: undefined }]
    return chance < GONE + CHANGED ? [{ url, body: writeHtml(author.page(urls, n)) }] : []
  })
  return { rounds: [first, again] }
}

/** Random numbers from a seed (mulberry32), and what can be written with them. */
class Author {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  page(urls: readonly string[], n: number): Page {
    const url = urls[n] as string
    const words = this.#words(20 + this.below(60))
    const links = new Map(Array.from({ length: this.below(9) }, () => this.#link(urls)))
    // Some know that they have print versions elsewhere.
    const canonical = this.below(5) === 0 ? url : undefined
    const title = this.#words(3).join(' ')
    // Some show the last page of their site, which changes as others do.
    const siteEnd = (Math.floor(n / SITE_PAGES) + 1) * SITE_PAGES
    const shown = urls[Math.min(siteEnd, urls.length) - 1] as string
    const includes = this.below(4) === 0 && shown !== url ? [shown] : []
    return { title, text: words.join(' '), links: [...links], canonical, includes }
  }

  /** A page of its own, or one that is much like another. */
  likeness(original: Page, urls: readonly string[], n: number): Page {
    const chance = this.below(100)
    if (chance < EXACT_COPIES) return original
    if (chance < EXACT_COPIES + NEAR_COPIES) {
      return { ...original, text: `${original.text} ${this.#words(1)}`, canonical: undefined }
    }
    const own = this.page(urls, n)
    const isPrint = chance < EXACT_COPIES + NEAR_COPIES + PRINT_VERSIONS
    return isPrint ? { ...own, canonical: original.canonical } : own
  }

  /** Words differ for different numbers. */
  word(number: number): string {
    let rest = number + SYLLABLES.length
    let word = ''
    while (rest > 0) {
      word += SYLLABLES[rest % SYLLABLES.length]
      rest = Math.floor(rest / SYLLABLES.length)
    }
    return word
  }

  oneOf<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)]
  }

  below(bound: number): number {
    return Math.floor(this.#fraction() * bound)
  }

  /** Few words are frequent and most are rare. */
  #words(count: number): string[] {
    return Array.from({ length: count }, () =>
      this.word(Math.floor(this.#fraction() ** 2 * VOCABULARY_WORDS)),
    )
  }

  /** Few pages are popular. */
  #link(urls: readonly string[]): Link {
    const target = urls[Math.floor(this.#fraction() ** 3 * urls.length)] as string
    return [target, this.#words(2).join(' ')]
  }

  #fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
