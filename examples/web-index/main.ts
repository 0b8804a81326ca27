// SPDX-License-Identifier: Apache-2.0
import { connect, type Database, PercoliteError } from '@percolite/client'
import { changePage } from './change-page.ts'
import { check } from './check.ts'
import { exportClusters, untilExported } from './export.ts'
import { type Flags, HELP, readFlags, UsageError } from './flags.ts'
import { load } from './load.ts'
import { wordsOf } from './pages/document.ts'
import { type Fetch, syntheticWeb } from './pages/synthetic-web.ts'
import { startPrivateServer } from './private-server.ts'
import * as print from './report.ts'
import { untilAtRest } from './rest.ts'
import { createSchema } from './schema.ts'
import { search } from './search.ts'
import { ServingSystem } from './serving-system.ts'

const DEFAULT_URL = 'http://127.0.0.1:4270'
/** Two of the words that are frequent in every synthetic web. */
const FREQUENT_WORDS = ['bace', 'guce']

try {
  const flags = readFlags(process.argv.slice(2))
  if (flags === 'help') process.stdout.write(HELP)
  else process.exitCode = await run(flags)
} catch (error) {
  process.stderr.write(`web-index: ${sentenceOf(error)}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}

/** Answers the exit status. */
async function run(flags: Flags): Promise<number> {
  // An interrupt must not end this process before the private server is stopped and its data gone.
  const interrupt = new AbortController()
  const stop = () => interrupt.abort(new Error('interrupted'))
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const { signal } = interrupt

  const isPrivate = flags.command.kind === 'everything' && flags.url === undefined
  await using serving = isPrivate ? await ServingSystem.start() : undefined
  await using server = serving && (await startPrivateServer(serving.url))
  const url = server?.url ?? flags.url ?? DEFAULT_URL
  await using closing = new AsyncDisposableStack()
  const db = connect({ url })
  closing.defer(() => db.close())
  return await execute(db, { ...flags, url, serving }, signal)
}

type Target = Flags & { readonly url: string; readonly serving: ServingSystem | undefined }

async function execute(db: Database, flags: Target, signal: AbortSignal): Promise<number> {
  const { command, url, serving } = flags
  switch (command.kind) {
    case 'everything': {
      const [page] = await loadWeb(db, flags, signal)
      await searchFor(db, FREQUENT_WORDS, signal)
      if (page !== undefined) await change(db, page.url, { url }, signal)
      const shown = await includedPage(db)
      if (shown !== undefined) await change(db, shown, { url }, signal)
      const status = await compare(db, url, signal)
      if (serving !== undefined) print.exported(await untilExported(db, serving, signal))
      return status
    }
    case 'load':
      await loadWeb(db, flags, signal)
      return 0
    case 'search':
      await searchFor(db, command.words, signal)
      return 0
    case 'change':
      await change(db, command.url, { url, text: command.text }, signal)
      return 0
    case 'check':
      return await compare(db, url, signal)
  }
}

/** Answers what was crawled first. */
async function loadWeb(
  db: Database,
  { pages, crawlers, seed, url, serving }: Target,
  signal: AbortSignal,
): Promise<readonly Fetch[]> {
  const web = syntheticWeb(pages, seed)
  await createSchema(db)
  if (serving !== undefined) serving.secret = await exportClusters(db, serving.url)
  print.loaded(await load(db, web, { crawlers, url, signal, stream: process.stderr }), crawlers)
  return web.rounds[0] ?? []
}

async function searchFor(db: Database, words: readonly string[], signal: AbortSignal) {
  print.found(words, await search(db, words, { signal }))
}

type Change = { readonly url: string; readonly text?: string | undefined }

/** Shows how soon a page is found by its new words, and which pages have them in the end. */
async function change(db: Database, page: string, { url, text }: Change, signal: AbortSignal) {
  const words = text ?? `breaking news ${Date.now().toString(36)}`
  print.changed(page, words, await changePage(db, page, words, signal))
  await untilAtRest(url, signal)
  await searchFor(db, wordsOf(words), signal)
}

/** A page that is shown in others. */
async function includedPage(db: Database): Promise<string | undefined> {
  const { rows } = await db.sql<{ url: string }>`
    SCAN p.url FROM dependency AS d LOOKUP page AS p BY p.url = d.resource LIMIT 1`
  return rows[0]?.url
}

async function compare(db: Database, url: string, signal: AbortSignal): Promise<number> {
  await untilAtRest(url, signal)
  const result = await check(db, signal)
  print.checked(result)
  return result.differences.length === 0 ? 0 : 1
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof PercoliteError)) return (error as Error).message
  if (error.code === 'unknown_table') return `${error.message} Load a web first.`
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`
}
