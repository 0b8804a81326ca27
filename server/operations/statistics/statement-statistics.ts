// SPDX-License-Identifier: Apache-2.0
import type { Parser } from '../../../parser/parser.ts'
import type { Plan, StatementResult } from '../../../planner/planner.ts'
import type { Clock, MaybePromise } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { problemOf } from '../../errors/error-response.ts'
import { isOfLeaving } from '../../errors/fault-log.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import { type IndexedStatement, statementKind } from '../../requests/prepared/script.ts'
import { ShapeFigures } from './shape-figures.ts'
import type { SlowStatements } from './slow-statements.ts'

/** A statement that is about to run. */
export type CountedStatement = {
  readonly plan: Plan
  readonly entry: IndexedStatement
  readonly running: Pick<RunningRequest, 'operation' | 'statements'>
  readonly catalog: Catalog
}

/**
 * What statements have come to since the start, by their shapes: the texts without their values. The shape of a text is
 * found out once for each plan, and remembered with it. Of `statementShapesMax` shapes the one that was used longest
 * ago gives way to a new one.
 */
export class StatementStatistics {
  readonly #clock: Clock
  readonly #parser: Pick<Parser, 'knownScript' | 'shapeOf'>
  readonly #slow: SlowStatements
  readonly #byPlan = new WeakMap<Plan, ShapeFigures>()
  readonly #byShape = new Map<string, ShapeFigures>()
  #uses = 0
  #forgotten = 0
  #sinceMicros: number

  constructor(parts: {
    readonly clock: Clock
    readonly parser: Pick<Parser, 'knownScript' | 'shapeOf'>
    readonly slow: SlowStatements
  }) {
    this.#clock = parts.clock
    this.#parser = parts.parser
    this.#slow = parts.slow
    this.#sinceMicros = parts.clock.wallMicros()
  }

  /** Since when it counts. */
  get since(): Date {
    return new Date(this.#sinceMicros / 1000)
  }

  /** How many shapes have given way to others. */
  get forgotten(): number {
    return this.#forgotten
  }

  get shapes(): readonly ShapeFigures[] {
    return [...this.#byShape.values()]
  }

  /** Forgets all of it. */
  clear(): void {
    for (const figures of this.#byShape.values()) figures.isKept = false
    this.#byShape.clear()
    this.#forgotten = 0
    this.#sinceMicros = this.#clock.wallMicros()
  }

  /** Returns or throws what `execute` does, and counts it. */
  counted(
    statement: CountedStatement,
    execute: () => MaybePromise<StatementResult>,
  ): MaybePromise<StatementResult> {
    const figures = this.figuresOf(statement, this.#byPlan.get(statement.plan))
    const beganMs = this.#clock.monotonicMs()
    const succeeded = (result: StatementResult): StatementResult => {
      figures.succeeded(this.#clock.monotonicMs() - beganMs, result)
      return result
    }
    const failed = (error: unknown): never => {
      // A client that has left says nothing of its statement.
      if (!isOfLeaving(error)) {
        figures.failed(this.#clock.monotonicMs() - beganMs, problemOf(error).code)
      }
      throw error
    }
    try {
      const result = execute()
      return result instanceof Promise ? result.then(succeeded, failed) : succeeded(result)
    } catch (error) {
      return failed(error)
    }
  }

  /** The figures of a statement that runs; `known` are those that it had before, which may have given way to others. */
  figuresOf(statement: CountedStatement, known: ShapeFigures | undefined): ShapeFigures {
    const figures = known?.isKept === true ? known : this.#planned(statement)
    this.#uses += 1
    figures.lastUse = this.#uses
    return figures
  }

  #planned(statement: CountedStatement): ShapeFigures {
    const shapeOfText = this.#shapeOfText(statement)
    const shape = shapeOfText ?? operationShape(statement)
    const figures = this.#byShape.get(shape) ?? this.#added(shape)
    figures.planned(statement.plan, statement.catalog)
    // What has no text is planned each time: to remember that plan would cost more than its shape does.
    if (shapeOfText !== undefined) this.#byPlan.set(statement.plan, figures)
    return figures
  }

  #added(shape: string): ShapeFigures {
    if (this.#byShape.size >= SERVER_LIMITS.statementShapesMax) this.#forgetOne()
    const figures = new ShapeFigures(shape, this.#slow)
    this.#byShape.set(shape, figures)
    return figures
  }

  #forgetOne(): void {
    let oldest: ShapeFigures | undefined
    for (const figures of this.#byShape.values()) {
      if (oldest === undefined || figures.lastUse < oldest.lastUse) oldest = figures
    }
    if (oldest === undefined) return
    oldest.isKept = false
    this.#byShape.delete(oldest.shape)
    this.#forgotten += 1
  }

  /** The shape of its text; undefined where it has none, such as a request on a row. */
  #shapeOfText({ entry: { statement, index }, running }: CountedStatement): string | undefined {
    const texts = running.statements()
    const text = texts.length === 1 ? texts[0] : texts[index]
    // The text may be of something else, such as the condition of a list of rows.
    if (text === undefined || !this.#parser.knownScript(text)?.includes(statement)) return undefined
    return this.#parser.shapeOf(text, statement.position.offset)
  }
}

/** Of what has no text: the operation, kind and table. */
function operationShape({ entry: { statement }, running, catalog }: CountedStatement): string {
  return `${running.operation}: ${statementKind(statement, catalog)}`
}
