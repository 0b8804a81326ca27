// SPDX-License-Identifier: Apache-2.0
import { valueFromJson } from '../../../planner/planner.ts'
import { type Clock, type SeenStep, type Storage, unlessAborted } from '../../../storage/storage.ts'
import {
  type Catalog,
  keyColumns,
  requireTable,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import { requireWithin, ServerError } from '../../errors/server-error.ts'
import type { Access } from '../../guard/access/access.ts'
import type { Audit } from '../../guard/audit/audit.ts'
import { requireWithinRole } from '../../guard/budgets/shared-bound.ts'
import type { Shares } from '../../guard/budgets/shares.ts'
import { bodyInTurns } from '../../requests/answers/text-pieces.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import { catalogAt } from '../../snapshot.ts'
import { inspectedRows, rowsPieces } from './inspected-rows.ts'
import { shownCells } from './row-cells.ts'
import { type ShownRow, shownRow } from './shown-row.ts'

export type InspectionRequest = {
  readonly table: string
  /** The values of each primary key in their JSON form. */
  readonly keys: ReadonlyArray<readonly unknown[]>
}

type Followed = Awaited<ReturnType<Storage['inspection']['follow']>>

export type InspectionDependencies = {
  readonly storage: Storage
  readonly access: Access
  readonly audit: Audit
  readonly shares: Shares
  readonly clock: Pick<Clock, 'wallMicros'>
}

/** Where frames go. */
export type InspectionSink = {
  readonly isWritable: boolean
  /** `fields` are what follows the id: a comma and the rest, or the closing brace. */
  send(type: string, fields: ReadonlyArray<string | Uint8Array>): void
  /** Resolves when there is room again. Rejects with the signal's reason. */
  room(signal: AbortSignal): Promise<void>
}

/** The rows that one socket inspects: their cells, and then each step of the protocol that changes them. */
export class SocketInspections {
  readonly #deps: InspectionDependencies
  readonly #running = new Set<RunningRequest>()
  #rows = 0

  constructor(deps: InspectionDependencies) {
    this.#deps = deps
  }

  /** Serves until `running` is aborted, and rejects with its reason, or with what else ended it. */
  async serve(
    request: InspectionRequest,
    sink: InspectionSink,
    running: RunningRequest,
  ): Promise<never> {
    const { access, audit, shares, storage } = this.#deps
    const { subscriptions } = shares
    const { client, limits, principal } = running
    access.requireRight(principal, 'inspect')
    const catalog = await catalogAt(storage)
    const table = requireTable(catalog, request.table)
    const rows = request.keys.map((key) => shownRow(table, keyOfJson(table, key)))
    this.#requireRoom(rows.length)
    requireWithinRole('subscriptions', limits, subscriptions.heldBy(client), subscriptions.what)
    subscriptions.take(client)
    this.#rows += rows.length
    this.#running.add(running)
    try {
      audit.inspected(running, table.name)
      return await this.#follow({ catalog, rows }, sink, running)
    } finally {
      this.#running.delete(running)
      this.#rows -= rows.length
      subscriptions.giveBack(client)
    }
  }

  /** To be called when rights may have changed. */
  stepRights(): void {
    for (const running of this.#running) {
      try {
        this.#deps.access.requireRight(running.principal, 'inspect')
      } catch (error) {
        running.abort(error as Error)
      }
    }
  }

  #requireRoom(more: number): void {
    requireWithin('inspectedRowsMax', this.#rows + more, 'Rows that a socket inspects')
  }

  async #follow(
    inspected: { readonly catalog: Catalog; readonly rows: readonly ShownRow[] },
    sink: InspectionSink,
    running: RunningRequest,
  ): Promise<never> {
    const { storage, clock } = this.#deps
    const { signal, turns } = running
    const fieldsOf = (step: SeenStep) =>
      stepFields(inspected, step, Math.floor(clock.wallMicros() / 1_000))
    const steps = new StepSender(sink, fieldsOf, signal)
    let followed: Followed | undefined
    try {
      const read = async (keys: readonly Uint8Array[]) => {
        const tell = (step: SeenStep) => steps.tell(step)
        followed = await storage.inspection.follow(keys, tell, (count) => steps.leaveOut(count))
        return followed
      }
      const { catalog, rows } = inspected
      const first = await inspectedRows(catalog, rows, { read, running })
      const scope = storage.isShared ? 'process' : 'store'
      const body = await bodyInTurns(rowsPieces(first), turns)
      signal.throwIfAborted()
      sink.send('cells', [`,"scope":"${scope}",`, ...(typeof body === 'string' ? [body] : body)])
      // From here on the outbox holds it.
      running.releaseUnsent()
      running.follows()
      followed?.release()
      return await unlessAborted(signal, new Promise<never>(() => {}))
    } finally {
      followed?.stop()
    }
  }
}

/** Sends steps as long as the client takes them, and tells how many it has missed. */
class StepSender {
  readonly #sink: InspectionSink
  readonly #fieldsOf: (step: SeenStep) => string
  readonly #signal: AbortSignal
  #leftOut = 0

  constructor(sink: InspectionSink, fieldsOf: (step: SeenStep) => string, signal: AbortSignal) {
    this.#sink = sink
    this.#fieldsOf = fieldsOf
    this.#signal = signal
  }

  tell(step: SeenStep): void {
    if (this.#leftOut > 0 || !this.#sink.isWritable) this.leaveOut()
    else this.#sink.send('step', [this.#fieldsOf(step)])
  }

  leaveOut(count = 1): void {
    this.#leftOut += count
    if (this.#leftOut === count) void this.#tellWhenThereIsRoom()
  }

  async #tellWhenThereIsRoom(): Promise<void> {
    try {
      await this.#sink.room(this.#signal)
    } catch {
      return
    }
    this.#sink.send('stepsLeftOut', [`,"count":${this.#leftOut}}`])
    this.#leftOut = 0
  }
}

/** Throws `invalid_request`, and PlanError `type_mismatch`. */
function keyOfJson(table: TableDefinition, key: readonly unknown[]) {
  const { length } = table.primaryKey
  if (key.length !== length) {
    throw new ServerError(
      'invalid_request',
      `The key of "${table.name}" has ${length} components, and ${key.length} are given.`,
    )
  }
  return keyColumns(table).map(({ type, name }, at) => {
    const value = valueFromJson(type, key[at])
    if (value !== null) return value
    throw new ServerError('invalid_request', `The key has NULL for ${name}.`)
  })
}

/** A longer value is not in the frame of a step, which is written in one turn: it is found among the cells. */
const STEP_VALUE_BYTES_MAX = 64 * 1024

/** The fields of a `step` frame behind its id: a comma, and what follows it. `wallMs` is the time of now. */
function stepFields(
  { catalog, rows }: { readonly catalog: Catalog; readonly rows: readonly ShownRow[] },
  { at, step, transaction, set, erased }: SeenStep,
  wallMs: number,
): string {
  const shown = rows[at] as ShownRow
  const head = JSON.stringify({
    at: new Date(wallMs).toISOString(),
    key: shown.name.key,
    transaction,
    step,
  })
  const cells = set.flatMap((cell) =>
    cell.value.length > STEP_VALUE_BYTES_MAX
      ? [JSON.stringify(longCell(cell))]
      : [...shownCells(catalog, shown, cell, false)].map(({ kind, pieces }) => {
          const text = [...pieces].join('')
          return `{"family":"${kind}",${text.slice(1)}`
        }),
  )
  const ranges = erased.map(({ family, qualifier: column, timestamps }) => {
    const { from, until } = timestamps
    const isOne = from !== undefined && until === from + 1
    return isOne ? { family, column, timestamp: from } : { family, column, from, until }
  })
  return `,${head.slice(1, -1)},"set":[${cells.join(',')}],"erased":${JSON.stringify(ranges)}}`
}

function longCell({ family, qualifier: column, timestamp, value }: SeenStep['set'][number]) {
  return { family, column, timestamp, bytes: value.length }
}
