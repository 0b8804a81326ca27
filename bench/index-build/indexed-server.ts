// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Surroundings } from '../harness/experiment.ts'
import type { MeasuredServer } from '../servers/measured-server.ts'
import { type PercoliteOptions, PercoliteServer } from '../servers/percolite-server.ts'
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

/** A server over a table of so many items, of which an index is built while it is used. */
export class IndexedServer implements MeasuredServer {
  readonly #folder: string
  readonly #options: PercoliteOptions
  readonly #server: PercoliteServer
  #isClosed = false

  private constructor(folder: string, options: PercoliteOptions, server: PercoliteServer) {
    this.#folder = folder
    this.#options = options
    this.#server = server
  }

  static async start(
    folder: string,
    options: PercoliteOptions,
    load: { readonly rows: number } & Pick<Surroundings, 'signal' | 'say'>,
  ): Promise<IndexedServer> {
    await loadItems(join(folder, 'data'), load.rows, load)
    return new IndexedServer(folder, options, await PercoliteServer.start(folder, options))
  }

  get pid(): number {
    return this.#server.pid
  }

  get origin(): string {
    return this.#server.origin
  }

  /** Resolves when the index is ready, to the seconds that took; tells its progress meanwhile. */
  async buildIndex(signal: AbortSignal, say: (text: string) => void): Promise<number> {
    const startedMs = performance.now()
    await this.#server.query({ sql: 'CREATE INDEX itemByValue ON item (value)' })
    for (;;) {
      signal.throwIfAborted()
      const { state, progress, failure } = await this.#showIndex()
      const seconds = (performance.now() - startedMs) / 1000
      if (state === 'ready') return seconds
      if (state !== 'building') throw new Error(`the index is ${state}: ${failure}`)
      say(
        `SHOW INDEXES: ${Number(progress).toLocaleString('en')} rows after ${seconds.toFixed(0)} s`,
      )
      await delay(LOOK_MS)
    }
  }

  /** Stops the server and checks what it leaves behind: each cell, and each entry with its row. */
  async checkStopped(): Promise<CheckedFolder> {
    await this.close()
    const startedMs = performance.now()
    const { main } = startCommand(this.#options.tree)
    const args = [main, 'check', '--json', '--data', join(this.#folder, 'data')]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    let peakMiB = 0
    const watch = setInterval(() => {
      peakMiB = Math.max(peakMiB, peakMiBOf(child.pid))
    }, MEMORY_LOOK_MS)
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    await new Promise((resolve) => child.once('close', resolve))
    clearInterval(watch)
    const { problemCount, tables } = JSON.parse(output)
    const indexes = tables.flatMap((table: { indexes: { entries: number }[] }) => table.indexes)
    const entries = indexes.reduce((sum: number, one: { entries: number }) => sum + one.entries, 0)
    const seconds = (performance.now() - startedMs) / 1000
    return { entries, problems: problemCount, seconds, peakMiB }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#server.close()
  }

  async #showIndex(): Promise<Record<string, unknown>> {
    const answer = (await this.#server.query({ sql: 'SHOW INDEXES FROM item' })) as {
      results: readonly { readonly rows: readonly Record<string, unknown>[] }[]
    }
    return answer.results[0]?.rows[0] ?? {}
  }
}

function peakMiBOf(pid: number | undefined): number {
  try {
    const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return Number(found?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
