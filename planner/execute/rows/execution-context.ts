// SPDX-License-Identifier: Apache-2.0
import {
  type MaybePromise,
  nextTurn,
  type Timestamp,
  type Transaction,
} from '../../../storage/storage.ts'
import type { Catalog, StoredRows, TableDefinition } from '../../../storage/tables/tables.ts'
import type { SqlType, SqlValue } from '../../../storage/values/values.ts'
import type { Scope, StatementFunctions } from '../../expressions/compiled-expression.ts'
import { ConstantValues } from '../../expressions/constant-values.ts'
import {
  bindParameters,
  type Claims,
  type GivenValues,
  type KnownVariables,
  type ParameterSlot,
  type Parameters,
} from '../../expressions/parameters.ts'
import { WorkMeter } from '../../expressions/work-meter.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import type { HoldBytes } from '../../sorting/held-bytes.ts'

/** What a statement does with its transaction. */
export type StatementTransaction = Pick<
  Transaction,
  'getRow' | 'getRows' | 'scanBatches' | 'put' | 'delete' | 'guard' | 'notify' | 'dependOnSchema'
> &
  Pick<Transaction, 'requireRoom' | 'locksRows' | 'statement' | 'statementWrite'>

/** What one run of a plan works with. */
export type ExecutionContext = {
  readonly transaction: StatementTransaction
  /** The catalog of the transaction's snapshot, for which the plan was made. */
  readonly catalog: Catalog
  readonly parameters: Parameters
  /** Of whoever asks, for the rules of its role. */
  readonly claims?: Claims | undefined
  /** What earlier statements of the request have read. */
  readonly variables?: KnownVariables | undefined
  readonly functions: StatementFunctions
  /** What the evaluation of its expressions is paid from. */
  readonly work: WorkMeter
  /** Looked at between batches of rows; its reason is thrown. */
  readonly signal?: AbortSignal
  /** Present when a SCAN may be answered in pages. */
  readonly page?: PageRequest
  /** Bounds the rows of a GET and of RETURNING, which have no pages. */
  readonly answerBytes?: AnswerBytesBudget
  /** Called with the bytes that the statement holds for its sorts and groups; throws where they are too many. */
  readonly holdBytes?: HoldBytes
  /** Makes the writer of an answer's rows, while more of them are sought; without it they are held. */
  readonly newRowWriter?: ((columns: StatementResult['columns']) => RowWriter) | undefined
  /** Asks a GET for the commit timestamps of its rows, for which it reads all of their families. */
  readonly rowTimestamps?: boolean
  /** For EXPLAIN ANALYZE: what each LOOKUP read is added to its figures. */
  readonly lookupFigures?: readonly LookupFigures[]
  /** Without them a statement that has paused goes on in the next turn, and one that has waited goes on at once. */
  readonly turns?: StatementTurns
  /** A clock that never goes back, for turns and EXPLAIN ANALYZE; without one it tells no time. */
  readonly monotonicMs?: () => number
}

/** The turns of the event loop that a statement shares with others. */
export type StatementTurns = {
  /** Resolves when a statement that has paused may go on. */
  pause(): Promise<void>
  /** Resolves when one may go on that has waited for something, perhaps with many others. */
  rejoin(): Promise<void>
}

/** What one LOOKUP read. */
export type LookupFigures = {
  /** Different ones of each batch. */
  keys: number
  rows: number
  roundTrips: number
}

/** The bytes that the statements before this one answered, and how many all of them may. */
export type AnswerBytesBudget = { readonly used: number; readonly max: number }

/** Takes the rows of one answer, in their order. */
export interface RowWriter {
  write(row: readonly SqlValue[]): void
  /** Whether it takes rows of the table as they are stored, of which the columns in these places are answered. */
  takesStored?(table: TableDefinition, places: readonly number[]): boolean
  /** Only where `takesStored` said so. Returns how many it has taken. Throws violations of T1 and T2. */
  takeStored?(rows: StoredRows, part: StoredPart): number
  /** How many it has taken. */
  readonly rowCount: number
  /** What they have come to. */
  readonly bytes: number
  /** What their columns come to, which the answer has once. */
  readonly columnBytes: number
}

/** Rows from `from` on, one at least: at most `rowsMax`, and until what was written comes to `bytesMax`. */
export type StoredPart = {
  readonly from: number
  readonly rowsMax: number
  readonly bytesMax: number
}

/** A page of a SCAN ends after `rows` rows, or when their values take about `bytes` bytes. */
export type PageRequest = {
  readonly rows: number
  readonly bytes: number
  /** `resumeAfter` of the page before. */
  readonly after?: Uint8Array
}

/** Runs a plan within the statement layer that the caller has opened. */
export type Execute<P> = (plan: P, context: ExecutionContext) => MaybePromise<StatementResult>

export type StatementResult = {
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: SqlType }>
  /** None where they have been written. */
  readonly rows: SqlValue[][]
  /** What they come to, about; absent where they are few and short. */
  readonly bytes?: number
  /** There when `newRowWriter` was given to a statement that answers rows. */
  readonly written?: RowWriter
  /** Rows of tables that were changed. */
  readonly rowsAffected: number
  /** Why a SET with IF wrote nothing: there is no row, or one, or the condition is not TRUE of it. */
  readonly unmet?: 'missing' | 'exists' | 'condition'
  /** Of EXPLAIN: the columns that the explained statement answers, and where it ran to read INTO names, its rows. */
  readonly explained?: Pick<StatementResult, 'columns'> & Partial<Pick<StatementResult, 'rows'>>
  /** What a person at a terminal reads instead of the rows: EXPLAIN's plan, or what became of a definition. */
  readonly text?: string
  /** What would be better than what was defined. */
  readonly hint?: string
  /** When each row was committed, if asked for; null for the transaction's own writing. */
  readonly rowTimestamps?: ReadonlyArray<Timestamp | null>
  /**
   * Present when the page ended before the SCAN did: where the next one begins, to be given back as
   * it is with the same statement, parameters and snapshot. A page may be empty and have one.
   */
  readonly resumeAfter?: Uint8Array
}

/** For expressions that ask for nothing. */
export function scopeOfNothing(): Scope {
  const functions = { now: 0n, uuid: () => '', nextNumbers: () => [] }
  return scopeOf([], { parameters: [], functions, work: new WorkMeter() })
}

/** What a statement's values that are the same for all rows come from. */
export type ScopeContext = GivenValues & Pick<ExecutionContext, 'functions' | 'work'>

/** A scope without a row; throws PlanError when a parameter is absent or does not fit. */
export function scopeOf(slots: readonly ParameterSlot[], context: ScopeContext): Scope {
  const { functions, work } = context
  return {
    row: [],
    parameters: bindParameters(slots, context, work),
    functions,
    work,
    constants: new ConstantValues(),
  }
}

const NEXT_TURN: Pick<StatementTurns, 'pause'> = { pause: nextTurn }

/**
 * Counts rows and, every `turnRowsMax` of them, `turnMsMax` or `workTurnUnits` of work, looks at the signal
 * and lets the rest of the process have its turn: rows that are at hand would otherwise follow each other
 * without a pause, and a long condition can make each of them expensive.
 */
export class TurnTaking {
  readonly #signal: AbortSignal | undefined
  readonly #turns: Pick<StatementTurns, 'pause'>
  readonly #monotonicMs: (() => number) | undefined
  readonly #work: WorkMeter
  #rows = 0
  #beganMs: number

  constructor({
    signal,
    turns,
    monotonicMs,
    work,
  }: Pick<ExecutionContext, 'signal' | 'turns' | 'monotonicMs' | 'work'>) {
    signal?.throwIfAborted()
    this.#work = work
    this.#signal = signal
    this.#turns = turns ?? NEXT_TURN
    this.#monotonicMs = monotonicMs
    this.#beganMs = monotonicMs?.() ?? 0
  }

  /** True when it is time for `pause`, which is separate so that most rows cost no promise. */
  isDue(rows = 1): boolean {
    this.#rows += rows
    if (this.#rows >= PLANNER_LIMITS.turnRowsMax || this.#work.isTurnDue) return true
    const now = this.#monotonicMs?.() ?? 0
    return now - this.#beganMs >= PLANNER_LIMITS.turnMsMax
  }

  async pause(): Promise<void> {
    this.#rows = 0
    await this.#turns.pause()
    this.#work.turnTaken()
    this.#signal?.throwIfAborted()
    this.#beganMs = this.#monotonicMs?.() ?? 0
  }
}
