// SPDX-License-Identifier: Apache-2.0
import type { MoveProgress, MoveReport } from '../../../storage/operations/operations.ts'
import type { Storage } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
import { describeEngine, type SharedEngine } from '../engines/engine-config.ts'
import { openSharedEngine } from '../engines/open-engine.ts'

/** How far a move is, or how it ended. */
export type MoveState = Pick<MoveProgress, 'rows' | 'bytes'> & {
  readonly phase: 'none' | MoveProgress['phase'] | 'failed'
  /** Why it failed. */
  readonly detail?: string
  /** Of a move that is done. */
  readonly report?: MoveReport
}

export type MoveOrder = {
  readonly target: SharedEngine
  readonly targetUrl: string
  readonly follow: boolean
  readonly compare: boolean
}

const NONE: MoveState = { phase: 'none', rows: 0, bytes: 0 }

/** The move of this server's store into another one: one at a time, begun by an operator. */
export class Moves {
  readonly #storage: Storage
  readonly #isAllowed: boolean
  readonly #sendOn: (url: string) => void
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #state: MoveState = NONE

  /** `sendOn` is called when clients have to go elsewhere, at once where the store went before. */
  constructor(storage: Storage, isAllowed: boolean, sendOn: (url: string) => void) {
    this.#storage = storage
    this.#isAllowed = isAllowed
    this.#sendOn = sendOn
    if (storage.movedTo !== undefined) this.#state = { ...NONE, phase: 'done' }
    this.#leave()
  }

  get state(): MoveState {
    return this.#state
  }

  /** Throws ServerError `not_enabled`. */
  requireAllowed(): void {
    if (this.#isAllowed) return
    const detail = 'This server does not move its database: start it with --allow-move.'
    throw new ServerError('not_enabled', detail, { flag: '--allow-move' })
  }

  /** Begins one. Throws ServerError `already_exists` while one is under way. */
  begin(order: MoveOrder): MoveState {
    if (this.#running !== undefined) {
      const detail = 'A move is under way: GET /v1/move says how far it is.'
      throw new ServerError('already_exists', detail)
    }
    this.#state = { ...NONE, phase: 'copying' }
    this.#running = this.#run(order).finally(() => {
      this.#running = undefined
    })
    return this.#state
  }

  /** Ends a move under way; the same order goes on where it was. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The server was stopped.'))
    await this.#running
  }

  /** Where no address was given, clients are left with what they can still read here. */
  #leave(): void {
    const { movedTo } = this.#storage
    if (movedTo !== undefined && movedTo.url !== '') this.#sendOn(movedTo.url)
  }

  async #run({ target, targetUrl, follow, compare }: MoveOrder): Promise<void> {
    try {
      const cellStore = await openSharedEngine(target)
      try {
        const report = await this.#storage.moveTo(cellStore, {
          ...{ to: describeEngine(target), url: targetUrl, follow, compare },
          signal: this.#stopping.signal,
          onProgress: (progress) => {
            this.#state = progress
          },
        })
        this.#state = { ...this.#state, phase: 'done', report }
        this.#leave()
      } finally {
        await cellStore.close()
      }
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error)
      this.#state = { ...this.#state, phase: 'failed', detail }
    }
  }
}

/** A line for each space of keys that was compared. */
export function moveFacts(spaces: MoveReport['spaces']): string[] {
  if (spaces === undefined) return ['the cells were not compared (--no-compare)']
  return spaces.map(
    ({ space, rows, cells, sha256 }) =>
      `${space}: ${rows} rows, ${cells} cells, sha256 ${sha256.slice(0, 16)} on both`,
  )
}
