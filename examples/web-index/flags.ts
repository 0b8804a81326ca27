// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util'
import { wordsOf } from './pages/document.ts'

export type Command =
  | { readonly kind: 'everything' | 'load' }
  | { readonly kind: 'search'; readonly words: readonly string[] }
  | { readonly kind: 'change'; readonly url: string; readonly text: string | undefined }
  | { readonly kind: 'check' }

export type Flags = {
  readonly command: Command
  readonly pages: number
  readonly crawlers: number
  readonly seed: number
  readonly url: string | undefined
}

export const HELP = `Usage: npm run example:web-index -- [command] [flags]

An index of a synthetic web that observers keep up to date while crawlers bring in pages. Without a
command: all of the following, on a private server whose data is removed at the end, and the clusters
are exported by a relay.

Commands, for a server that was started with --observers examples/web-index/observers.ts:
  load                  makes the tables, if need be, and crawls a synthetic web
  search <word> …       the pages that have all these words, the best first, and of copies one
  change <url> [word …] crawls a page that has these words now, and waits until it is found by them
  check                 compares all tables with a recomputation of everything

Flags:
  --pages <n>     how many pages the web has (default 400, at most 100000)
  --crawlers <n>  how many pages are brought in at the same time (default 8, at most 256)
  --seed <n>      another web for another number (default 1)
  --url <url>     the server (default http://127.0.0.1:4270); without a command, this server instead of
                  a private one
  --help          this text
`

const PAGES_MAX = 100_000
const CRAWLERS_MAX = 256

/** A wrong use of the command line, in one sentence. */
export class UsageError extends Error {}

/** The flags, or 'help'. */
export function readFlags(args: readonly string[]): Flags | 'help' {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  if (values.url !== undefined && !URL.canParse(values.url)) {
    throw new UsageError(`--url is the url of a server, not "${values.url}"`)
  }
  return {
    command: commandOf(positionals),
    pages: integer('pages', values.pages, 1, PAGES_MAX),
    crawlers: integer('crawlers', values.crawlers, 1, CRAWLERS_MAX),
    seed: integer('seed', values.seed, 0, 2 ** 32 - 1),
    url: values.url,
  }
}

function commandOf([name, ...rest]: readonly string[]): Command {
  if (name === 'search') {
    const words = wordsOf(rest.join(' '))
    if (words.length === 0) throw new UsageError('search needs a word at least')
    return { kind: 'search', words }
  }
  if (name === 'change') {
    const [url = '', ...words] = rest
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
      throw new UsageError(
        `change needs the url of a page, such as http://site.example/page, not "${url}"`,
      )
    }
    const text = words.length === 0 ? undefined : words.join(' ')
    if (text !== undefined && wordsOf(text).length === 0) {
      throw new UsageError(`there is no word in "${text}"`)
    }
    return { kind: 'change', url: new URL(url).href, text }
  }
  if (rest.length > 0) throw new UsageError(`${name} takes no "${rest[0]}"`)
  if (name === undefined) return { kind: 'everything' }
  if (name === 'load' || name === 'check') return { kind: name }
  throw new UsageError(`there is no command "${name}": load, search, change or check`)
}

function integer(name: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (text !== '' && Number.isInteger(value) && value >= min && value <= max) return value
  throw new UsageError(`--${name} is a number from ${min} to ${max}, not ${text}`)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        pages: { type: 'string', default: '400' },
        crawlers: { type: 'string', default: '8' },
        seed: { type: 'string', default: '1' },
        url: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    // The first sentence says what is wrong; the second, how to pass an argument that begins so.
    throw new UsageError((error as Error).message.replace(/\. .*/s, ''))
  }
}
