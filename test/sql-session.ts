// SPDX-License-Identifier: Apache-2.0
import type { DefinitionStatement, Statement } from '../parser/ast.ts'
import { createParser } from '../parser/parser.ts'
import {
  type ExecutionContext,
  executeDefinition,
  executePlan,
  type PageRequest,
  type Parameters,
  type Plan,
  PlanError,
  type PlannedStatement,
  planStatement,
  type StatementFunctions,
  type StatementResult,
  Variables,
  valueToJson,
  WorkMeter,
} from '../planner/planner.ts'
import { ruleParser } from '../server/guard/access/rule-parser.ts'
import { openStorage, type Storage, type StorageLog, type Transaction } from '../storage/storage.ts'
import { type Catalog, requireIndex } from '../storage/tables/tables.ts'

const DEFINITIONS: ReadonlySet<string | undefined> = new Set<DefinitionStatement['kind']>([
  ...(['createTable', 'dropTable', 'addColumn', 'dropColumn', 'dropConstraint'] as const),
  ...(['alterColumn', 'restartIdentity', 'renameColumn', 'renameTable'] as const),
  ...(['createIndex', 'dropIndex'] as const),
  ...(['createObserver', 'dropObserver'] as const),
  ...(['pauseObserver', 'resumeObserver', 'replayObserver'] as const),
  ...(['createSchedule', 'pauseSchedule', 'resumeSchedule', 'dropSchedule'] as const),
])

/** Far more than the rows of a test need; a build that goes on longer does not come to an end. */
const INDEX_BUILD_MS_MAX = 30_000

/** Statements on a memory store, without a server: each `run` is a transaction of its own. */
export class SqlSession {
  readonly storage: Storage
  readonly functions: StatementFunctions
  readonly #parser = createParser()
  readonly #parseRule = ruleParser(this.#parser)
  /** What the store complained about. */
  readonly #warnings: readonly string[]

  private constructor(storage: Storage, warnings: readonly string[]) {
    this.storage = storage
    this.#warnings = warnings
    let calls = 0
    this.functions = {
      now: 1_700_000_000_000_000n,
      uuid: () => {
        calls += 1
        return `uuid-${calls}`
      },
      nextNumbers: (table, count) => storage.identities.take(table, count),
    }
  }

  static async open(...scripts: readonly string[]): Promise<SqlSession> {
    const warnings: string[] = []
    const warn: StorageLog['warn'] = (facts, message) => {
      warnings.push(`${message}: ${JSON.stringify(facts)}`)
    }
    const log = { info() {}, warn, error: warn }
    const session = new SqlSession(await openStorage({ engine: 'memory', log }), warnings)
    for (const script of scripts) await session.run(script)
    return session
  }

  /** On a store that the caller opens and closes. */
  static over(storage: Storage): SqlSession {
    return new SqlSession(storage, [])
  }

  parse(text: string): readonly Statement[] {
    return this.#parser.parseScript(text)
  }

  /** Runs a script in one transaction (definitions in one each) and answers its last result. */
  async run(text: string, parameters: Parameters = []): Promise<StatementResult> {
    let last: StatementResult = { columns: [], rows: [], rowsAffected: 0 }
    const statements = this.parse(text)
    if (DEFINITIONS.has(statements[0]?.kind)) {
      for (const statement of statements)
        last = await this.#define(statement as DefinitionStatement, parameters)
      return last
    }
    const transaction = await this.storage.begin()
    try {
      const catalog = await this.storage.catalog(transaction)
      const variables = new Variables()
      for (const statement of statements) {
        last = await this.runIn(transaction, catalog, statement, { parameters, variables })
        if ('into' in statement) variables.read(statement.into, last)
      }
      await transaction.commit()
      return last
    } finally {
      transaction.rollback()
    }
  }

  async runIn(
    transaction: Transaction,
    catalog: Catalog,
    statement: Statement | string,
    options: {
      readonly parameters?: Parameters
      readonly page?: PageRequest
      readonly newRowWriter?: ExecutionContext['newRowWriter']
      readonly answerBytes?: { readonly used: number; readonly max: number }
      readonly signal?: AbortSignal
      readonly rowTimestamps?: boolean
      readonly work?: WorkMeter
      readonly variables?: Variables
    } = {},
  ): Promise<StatementResult> {
    const [parsed] = typeof statement === 'string' ? this.parse(statement) : [statement]
    const plan = this.plan(parsed as Statement, catalog, options.variables)
    const { parameters = [], work = new WorkMeter(), ...others } = options
    const { functions } = this
    const own = { transaction, catalog, parameters, functions, work }
    return await executePlan(plan, { ...own, ...others })
  }

  /** Throws PlanError. */
  plan(statement: Statement | string, catalog: Catalog, variables?: Variables): Plan {
    const [parsed] = typeof statement === 'string' ? this.parse(statement) : [statement]
    return planStatement(parsed as PlannedStatement, catalog, this.#parseRule, variables)
  }

  /** A SCAN at one snapshot, in pages of at most so many rows. */
  async *pages(
    text: string,
    pageRows: number,
    parameters: Parameters = [],
  ): AsyncGenerator<StatementResult> {
    const transaction = await this.storage.begin({ readOnly: true })
    const catalog = await this.storage.catalog(transaction)
    let after: Uint8Array | undefined
    do {
      const page = { rows: pageRows, bytes: 1 << 20, ...(after === undefined ? {} : { after }) }
      const result = await this.runIn(transaction, catalog, text, { parameters, page })
      yield result
      after = result.resumeAfter
    } while (after !== undefined)
    transaction.rollback()
  }

  /** The rows as JSON objects, the way a client sees them. */
  async rows(text: string, parameters: Parameters = []): Promise<unknown[]> {
    return rowsToJson(await this.run(text, parameters))
  }

  async catalog(): Promise<Catalog> {
    const transaction = await this.storage.begin({ readOnly: true })
    const catalog = await this.storage.catalog(transaction)
    transaction.rollback()
    return catalog
  }

  async close(): Promise<void> {
    await this.storage.close()
  }

  async #define(statement: DefinitionStatement, parameters: Parameters): Promise<StatementResult> {
    const result = await this.#defineOnce(statement, parameters)
    if (statement.kind !== 'createIndex') return result
    // The next statement of a test may count on the index.
    const { index } = requireIndex(await this.catalog(), statement.index.text)
    if (index.state === 'building') await this.#built(index)
    return result
  }

  /** The store itself changes the catalog too, when it has built an index or notified of old rows. */
  async #defineOnce(
    statement: DefinitionStatement,
    parameters: Parameters,
  ): Promise<StatementResult> {
    for (;;) {
      const transaction = await this.storage.begin()
      try {
        const catalog = await this.storage.catalog(transaction)
        const result = await executeDefinition(statement, { transaction, catalog, parameters })
        await transaction.commit()
        return result
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'write_conflict') throw error
      } finally {
        transaction.rollback()
      }
    }
  }

  async #built({ id, name }: { readonly id: number; readonly name: string }): Promise<void> {
    const deadline = new AbortController()
    const tooLong = () => {
      const seconds = INDEX_BUILD_MS_MAX / 1_000
      const told = this.#warnings.slice(-5).join('\n')
      deadline.abort(new Error(`The index ${name} is not built after ${seconds} s.\n${told}`))
    }
    const timer = setTimeout(tooLong, INDEX_BUILD_MS_MAX)
    await this.storage.indexBuilt(id, deadline.signal).finally(() => clearTimeout(timer))
  }
}

export function rowsToJson({ columns, rows }: StatementResult): unknown[] {
  return rows.map((row) =>
    Object.fromEntries(
      columns.map(({ name, type }, index) => [name, valueToJson(type, row[index] ?? null)]),
    ),
  )
}

/** For assert.throws and assert.rejects: this code, at this place of the text where one is given. */
export function planError(code: string, at?: { line?: number; column: number }) {
  return (error: unknown): boolean => {
    if (!(error instanceof PlanError)) throw error
    const got = { code: error.code, line: error.position?.line, column: error.position?.column }
    const wanted =
      at === undefined ? { ...got, code } : { code, line: at.line ?? 1, column: at.column }
    if (JSON.stringify(got) === JSON.stringify(wanted)) return true
    throw new Error(
      `Wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}: ${error.message}`,
    )
  }
}
