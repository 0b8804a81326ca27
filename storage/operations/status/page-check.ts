// SPDX-License-Identifier: Apache-2.0
import type { CellStore, DiskUse, StoreCopier } from '../../cells/cell-store.ts'
import type { Clock } from '../../clock.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { StorageLog } from '../../storage-log.ts'

export type PageCheckStatus = {
  /** `stopped`: it was in the way of the log, or its process ended; it begins again after an hour. */
  readonly state: 'running' | 'stopped' | 'sound' | 'damaged'
  /** Microseconds since 1970, as is `ended`. */
  readonly began: number
  readonly ended?: number
  /** In SQLite's words; the first ones, cut to a length. */
  readonly problems: readonly string[]
}

type Dependencies = {
  readonly cellStore: CellStore
  readonly clock: Clock
  readonly log: StorageLog
}

/** The start has the processor for itself. */
const BEGIN_MS = 1_000
const AGAIN_MS = 3_600_000
const PROBLEMS_MAX = 20
const PROBLEM_CHARACTERS_MAX = 200

/**
 * Has SQLite look at every page once, after a start that followed a kill: a failing disk is told of before somebody
 * needs the page, and so is a page that silently lost cells. A process of the lowest priority does it, beside
 * everything else.
 */
export class PageCheck {
  readonly #deps: Dependencies
  readonly #stopping = new AbortController()
  #status: PageCheckStatus | undefined
  #copier: StoreCopier | undefined
  /** Whether a request has met a record that cannot be read, on pages that can. */
  #hasMetDamage = false
  #running: Promise<void> = Promise.resolve()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Undefined where the last owner has closed the store, and until it begins. */
  get status(): PageCheckStatus | undefined {
    return this.#status
  }

  /** Whether it has found damage, or a request has. */
  get isDamaged(): boolean {
    if (this.#hasMetDamage || this.#status?.state === 'damaged') return true
    return this.#deps.cellStore.damage !== undefined
  }

  meetDamage(): void {
    this.#hasMetDamage = true
  }

  start(): void {
    const { wasKilled, openCopier } = this.#deps.cellStore
    if (wasKilled === true && openCopier !== undefined) this.#running = this.#run()
  }

  /** Ends a check for which the log has become too long, or the disk too small for moving the log. */
  look({ logBytes, freeBytes }: DiskUse): void {
    const { pageCheckLogBytesMax: max } = STORAGE_LIMITS
    if (logBytes > max || logBytes > freeBytes) void this.#copier?.close()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#copier?.close()
    await this.#running
  }

  async #run(): Promise<void> {
    const { clock } = this.#deps
    const { signal } = this.#stopping
    try {
      for (let restMs = BEGIN_MS; ; restMs = AGAIN_MS) {
        await clock.sleep(restMs, signal)
        if (await this.#isDone()) return
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  /** False when it came to no end. */
  async #isDone(): Promise<boolean> {
    const { cellStore, clock, log } = this.#deps
    const began = clock.wallMicros()
    const end = (state: PageCheckStatus['state'], problems: readonly string[] = []) => {
      this.#status = { state, began, ended: clock.wallMicros(), problems }
    }
    this.#status = { state: 'running', began, problems: [] }
    try {
      this.#copier = cellStore.openCopier?.({ isInBackground: true })
      const found = (await this.#copier?.pageProblems()) ?? []
      const problems = found.slice(0, PROBLEMS_MAX).map(shortened)
      end(problems.length === 0 ? 'sound' : 'damaged', problems)
      if (problems.length === 0) log.info({}, 'the check of the pages after a kill found nothing')
      else log.error({ problems }, 'the check of the pages after a kill has found damage')
      return true
    } catch (error) {
      end('stopped')
      const what = 'the check of the pages after a kill came to no end and begins again in an hour'
      if (!this.#stopping.signal.aborted) log.warn({ error: String(error) }, what)
      return false
    } finally {
      await this.#copier?.close()
      this.#copier = undefined
    }
  }
}

/** SQLite may put a headline before a problem. */
function shortened(problem: string): string {
  return problem.replaceAll('\n', ' ').slice(0, PROBLEM_CHARACTERS_MAX)
}
