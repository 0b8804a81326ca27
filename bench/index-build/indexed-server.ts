// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Surroundings } from '../harness/experiment.ts'
import {
  type PercoliteOptions,
  type PercoliteServer,
  startPercolite,
} from '../servers/percolite-server.ts'
import { mebibytesOf } from '../servers/process-figures.ts'
import { startCommand } from '../servers/start-command.ts'
import { loadItems } from './loaded-table.ts'

const LOOK_MS = 100
const MEMORY_LOOK_MS = 50

/** What `percolite check` says of the folder, and what it took. */
export type CheckedFolder = {
  readonly entries: number
  readonly problems: number
  readonly seconds: number
  /** Of resident memory; 0 where the system does not tell. */
  readonly peakMiB: number
}

/** A server over a table of so many items, and the folder that it works in. */
export type IndexedServer = PercoliteServer & { readonly folder: string }

export async function startIndexed(
  folder: string,
  options: PercoliteOptions,
  load: { readonly rows: number } & Pick<Surroundings, 'signal' | 'say'>,
): Promise<IndexedServer> {
  await loadItems(join(folder, 'data'), load.rows, load)
  return { ...(await startPercolite(folder, options)), folder }
}

/** Resolves when the index is ready, to the seconds that took; tells its progress meanwhile. */
export async function buildIndex(
  server: PercoliteServer,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<number> {
  const startedMs = performance.now()
  await server.query({ sql: 'CREATE INDEX itemByValue ON item (value)' })
  for (;;) {
    signal.throwIfAborted()
    const { results } = (await server.query({ sql: 'SHOW INDEXES FROM item' })) as {
      results: readonly { readonly rows: readonly Record<string, unknown>[] }[]
    }
    const { state, progress, failure } = results[0]?.rows[0] ?? {}
    const seconds = (performance.now() - startedMs) / 1000
    if (state === 'ready') return seconds
    if (state !== 'building') throw new Error(`the index is ${state}: ${failure}`)
    const rows = Number(progress).toLocaleString('en')
    say(`SHOW INDEXES: ${rows} rows after ${seconds.toFixed(0)} s`)
    await delay(LOOK_MS)
  }
}

/** Stops the server and checks what it leaves behind: each cell, and each entry with its row. */
export async function checkStopped(
  server: IndexedServer,
  { tree }: PercoliteOptions,
): Promise<CheckedFolder> {
  await server.close()
  const startedMs = performance.now()
  const { main } = startCommand(tree)
  const args = [main, 'check', '--json', '--data', join(server.folder, 'data')]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  let peakMiB = 0
  const watch = setInterval(() => {
    peakMiB = Math.max(peakMiB, mebibytesOf(child.pid, 'VmHWM'))
  }, MEMORY_LOOK_MS)
  const output = await text(child.stdout)
  clearInterval(watch)
  const { problemCount, tables } = JSON.parse(output)
  const indexes = tables.flatMap((table: { indexes: { entries: number }[] }) => table.indexes)
  const entries = indexes.reduce((sum: number, one: { entries: number }) => sum + one.entries, 0)
  const seconds = (performance.now() - startedMs) / 1000
  return { entries, problems: problemCount, seconds, peakMiB }
}
