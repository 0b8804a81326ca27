// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url'
import { connect } from '@percolite/client'
import { type Clusters, clustersOf, differences } from './clusters.ts'
import { type Corpus, readDocuments } from './documents.ts'
import { type Flags, HELP, readFlags, UsageError } from './flags.ts'
import { type LoadReport, load, sum } from './load.ts'
import { startPrivateServer } from './private-server.ts'
import { createTables } from './update-document.ts'

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const LARGEST_SHOWN = 5
const DIFFERENCES_SHOWN = 10

try {
  const flags = readFlags(process.argv.slice(2), NODE_MODULES)
  if (flags === 'help') process.stdout.write(HELP)
  else process.exitCode = await run(flags)
} catch (error) {
  process.stderr.write(`web-index: ${(error as Error).message}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}

/** Loads, reports and checks; answers the exit status. */
async function run({ folder, loaders, url }: Flags): Promise<number> {
  const corpus = await readDocuments(folder)
  // An interrupt must not end this process before the private server is stopped and its data gone.
  const interrupt = new AbortController()
  const stop = () => interrupt.abort(new Error('interrupted'))
  process.on('SIGINT', stop).on('SIGTERM', stop)

  await using server = url === undefined ? await startPrivateServer() : undefined
  const db = connect({ url: server?.url ?? (url as string) })
  await createTables(db)
  const { signal } = interrupt
  const report = await load(db, corpus.documents, { loaders, signal, stream: process.stderr })

  const clusters = clustersOf(corpus.documents)
  print(corpus, clusters, report, loaders)
  const found = await differences(db, clusters, signal)
  if (found.length === 0) {
    console.log('check: the store agrees with a plain recomputation')
    return 0
  }
  console.log(`check: the store differs from a plain recomputation in ${found.length} places`)
  for (const line of found.slice(0, DIFFERENCES_SHOWN)) console.log(`  ${line}`)
  return 1
}

function print(corpus: Corpus, clusters: Clusters, report: LoadReport, loaders: number): void {
  const { documents, bytes, skipped } = corpus
  const bySize = [...clusters.values()].toSorted((a, b) => b.length - a.length)
  const shared = bySize.filter((urls) => urls.length > 1).length
  const rate = Math.round(documents.length / report.seconds)

  line('documents', documents.length, `${(bytes / 1e6).toFixed(1)} MB`)
  line('skipped', sum(skipped), listOf(skipped))
  line('clusters', clusters.size, `${shared} of more than one document`)
  for (const urls of bySize.slice(0, LARGEST_SHOWN)) line('', urls.length, `like ${urls[0]}`)
  line('retries', sum(report.retries), listOf(report.retries))
  line('seconds', report.seconds.toFixed(1), `${rate} documents a second with ${loaders} loaders`)
}

function line(name: string, figure: number | string, remark: string): void {
  console.log(`${name.padEnd(10)}${String(figure).padStart(8)}  ${remark}`.trimEnd())
}

function listOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ')
}
