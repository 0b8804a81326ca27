// SPDX-License-Identifier: Apache-2.0
import type {
  AccessStatement,
  BeginStatement,
  DefinitionStatement,
  Into,
  Statement,
} from '../../../parser/ast.ts'
import type { Parameters } from '../../../planner/planner.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { ServerError, StatementFailure } from '../../errors/server-error.ts'

/** One statement of a request with the parameters that belong to it. */
export type ScriptStatement<S extends Statement = Statement> = {
  readonly statement: S
  readonly parameters: Parameters
}

/** Statements that are a transaction of their own. */
export type LoneStatement = DefinitionStatement | AccessStatement

/** Statements that run inside a transaction: everything but BEGIN and its end, and those that stand alone. */
export type RowStatement = Exclude<
  Statement,
  BeginStatement | LoneStatement | { readonly kind: 'commit' | 'rollback' }
>

export type IndexedStatement = ScriptStatement<RowStatement> & { readonly index: number }

/** Statements of one transaction, in their order. */
type RowStatements = {
  readonly statements: readonly IndexedStatement[]
  /** Whether that is one SCAN, which alone is answered by the page. */
  readonly isOneScan: boolean
}

/** What a request outside of any transaction asks for. */
export type Script =
  /** The statements are the first ones of the transaction, which stays open after them. */
  | ({ readonly kind: 'open'; readonly begin: ScriptStatement<BeginStatement> } & RowStatements)
  | {
      readonly kind: 'definitions'
      readonly statements: ReadonlyArray<ScriptStatement<LoneStatement>>
    }
  | ({
      readonly kind: 'transaction'
      /** Present when the request has a BEGIN of its own. */
      readonly begin?: ScriptStatement<BeginStatement>
      readonly end: 'commit' | 'rollback'
      /** How many statements the request has, BEGIN and its end included. */
      readonly length: number
    } & RowStatements)

const NO_STATEMENTS: RowStatements = { statements: [], isOneScan: false }

/**
 * The rules of a request (each is one transaction): only `BEGIN` opens a transaction over several
 * requests; a `BEGIN` with more needs its `COMMIT` at the end, or `keepOpen`; CREATE, ALTER, DROP,
 * ROTATE, GRANT and REVOKE stand alone. Pure, and decided before anything runs.
 */
export function readScript(script: readonly ScriptStatement[], keepOpen = false): Script {
  const [first] = script
  if (first === undefined) throw new ServerError('invalid_request', 'There is no statement.')
  if (keepOpen) return readOpening(first, script)
  const dropsWrites = requireAllAnalyzed(script)
  const begin = isBegin(first) ? first : undefined
  if (begin !== undefined && script.length === 1) return { kind: 'open', begin, ...NO_STATEMENTS }
  if (begin !== undefined) requireReads(begin, script)
  if (script.some(isDefinition)) return { kind: 'definitions', statements: onlyDefinitions(script) }
  if (begin === undefined) {
    return {
      kind: 'transaction',
      ...onlyRowStatements(script, 0),
      end: dropsWrites ? 'rollback' : 'commit',
      length: script.length,
    }
  }
  const last = script.at(-1)?.statement.kind
  if (!script.some(({ statement }) => isEnd(statement))) {
    throw new ServerError(
      'transaction_not_closed',
      'The request has a BEGIN and more, but not its COMMIT.',
      {
        hint: 'end it with COMMIT; or open a transaction over several requests, by BEGIN alone or with "keepOpen": true',
      },
    )
  }
  return {
    kind: 'transaction',
    begin,
    ...onlyRowStatements(
      last === 'commit' || last === 'rollback' ? script.slice(1, -1) : script.slice(1),
      1,
    ),
    end: dropsWrites || last === 'rollback' ? 'rollback' : 'commit',
    length: script.length,
  }
}

/** Of a transaction that reads only: no statement before the one that writes is run in vain. */
function requireReads(
  begin: ScriptStatement<BeginStatement>,
  script: readonly ScriptStatement[],
): void {
  const { readOnly, asOf } = begin.statement
  if (!readOnly && asOf === undefined) return
  const index = script.findIndex(({ statement }) => !onlyReads(statement))
  const writing = script[index]
  if (writing === undefined) return
  const { line, column } = writing.statement.position
  const detail = 'The transaction is read only, and this statement does more than read.'
  throw new StatementFailure(
    index,
    new ServerError('read_only_transaction', detail, { line, column }),
  )
}

/** What is new in the language writes until it stands here. */
function onlyReads(statement: Statement): boolean {
  switch (statement.kind) {
    case 'get':
      return !statement.forUpdate
    case 'explain':
      return !statement.analyze || onlyReads(statement.statement)
    case 'scan':
    case 'describe':
      return true
    default:
      return statement.kind.startsWith('show') || isBegin({ statement }) || isEnd(statement)
  }
}

/** Whether the transaction is that of an EXPLAIN ANALYZE SCRIPT: nothing else is rolled back with it. */
function requireAllAnalyzed(script: readonly ScriptStatement[]): boolean {
  if (!script.some(isAnalyzedScript)) return false
  const index = script.findIndex((entry) => {
    return !isAnalyzedScript(entry) && !isBegin(entry) && !isEnd(entry.statement)
  })
  const other = script[index]
  if (other === undefined) return true
  const detail = 'EXPLAIN ANALYZE SCRIPT ends in a rollback, and this statement is not part of it.'
  throw mixture(index, other, `${detail} Send it in a request of its own.`)
}

function requireNoneAnalyzed(script: readonly ScriptStatement[]): void {
  const index = script.findIndex(isAnalyzedScript)
  const analyzed = script[index]
  if (analyzed === undefined) return
  const detail = 'EXPLAIN ANALYZE SCRIPT ends in a rollback, and this transaction stays open.'
  throw mixture(index, analyzed, `${detail} Send it in a request of its own.`)
}

function isAnalyzedScript({ statement }: ScriptStatement): boolean {
  return statement.kind === 'explain' && statement.analyze && statement.script === true
}

function readOpening(begin: ScriptStatement, script: readonly ScriptStatement[]): Script {
  requireNoneAnalyzed(script)
  if (!isBegin(begin)) {
    throw new ServerError('invalid_request', 'A request with "keepOpen" begins with BEGIN.')
  }
  requireReads(begin, script)
  if (script.some(({ statement }) => isEnd(statement))) {
    throw new ServerError(
      'invalid_request',
      'With "keepOpen" the transaction stays open: the request has no COMMIT and no ROLLBACK.',
    )
  }
  return { kind: 'open', begin, ...onlyRowStatements(script.slice(1), 1) }
}

/** What a request inside an open transaction asks for; a final COMMIT or ROLLBACK ends it. */
export type InnerScript = {
  /** Where it came with the BEGIN that opened the transaction. */
  readonly begin?: ScriptStatement<BeginStatement>
  readonly end?: 'commit' | 'rollback'
  readonly length: number
} & RowStatements

export function readInnerScript(script: readonly ScriptStatement[]): InnerScript {
  if (script.length === 0) throw new ServerError('invalid_request', 'There is no statement.')
  requireNoneAnalyzed(script)
  const last = script.at(-1)?.statement.kind
  if (last !== 'commit' && last !== 'rollback') {
    return { ...onlyRowStatements(script, 0), length: script.length }
  }
  return { ...onlyRowStatements(script.slice(0, -1), 0), end: last, length: script.length }
}

function onlyDefinitions(
  script: readonly ScriptStatement[],
): Array<ScriptStatement<LoneStatement>> {
  return script.map((entry, index) => {
    if (isDefinition(entry)) return entry
    const detail =
      'CREATE, ALTER, DROP, ROTATE, GRANT and REVOKE stand alone: send them in a request of their own.'
    throw mixture(index, entry, detail, scriptHint(script))
  })
}

/** For a text that is a script, in which definitions stand outside of BEGIN and COMMIT. */
function scriptHint(script: readonly ScriptStatement[]): string | undefined {
  let isOpen = false
  for (const entry of script) {
    const ends = isEnd(entry.statement)
    if (isOpen ? isBegin(entry) || isDefinition(entry) : ends) return undefined
    isOpen = isBegin(entry) || (isOpen && !ends)
  }
  if (isOpen) return undefined
  return 'POST /v1/scripts runs such a text, without parameters, each part a transaction of its own'
}

function onlyRowStatements(script: readonly ScriptStatement[], firstIndex: number): RowStatements {
  const statements = script.map((entry, offset) => {
    const index = firstIndex + offset
    const { statement, parameters } = entry
    if (isRowStatement(statement)) return { statement, parameters, index }
    throw mixture(index, entry, whyNotAmongRows(statement))
  })
  const only = statements.length === 1 ? statements[0]?.statement : undefined
  return { statements, isOneScan: only?.kind === 'scan' && only.into === undefined }
}

function isRowStatement(statement: Statement): statement is RowStatement {
  const { kind } = statement
  return kind !== 'begin' && kind !== 'commit' && kind !== 'rollback' && !standsAlone(statement)
}

function whyNotAmongRows({ kind }: Exclude<Statement, RowStatement>): string {
  if (kind === 'begin') return 'BEGIN can only be the first statement.'
  if (kind === 'commit' || kind === 'rollback') {
    return `${kind.toUpperCase()} can only end a BEGIN, as the last statement.`
  }
  return 'CREATE, ALTER, DROP, ROTATE, GRANT and REVOKE stand alone: send them outside of a transaction.'
}

/** The error of a statement that may not stand where it does. */
export function mixture(
  index: number,
  { statement }: Pick<ScriptStatement, 'statement'>,
  detail: string,
  hint?: string,
): StatementFailure {
  const { line, column } = statement.position
  const fields = { line, column, ...(hint && { hint }) }
  return new StatementFailure(index, new ServerError('script_mixture', detail, fields))
}

function isBegin<Entry extends Pick<ScriptStatement, 'statement'>>(
  entry: Entry,
): entry is Entry & ScriptStatement<BeginStatement> {
  return entry.statement.kind === 'begin'
}

function isEnd(statement: Statement): boolean {
  return statement.kind === 'commit' || statement.kind === 'rollback'
}

/** What stands alone, all of it: the compiler misses a kind that is left out. */
const LONE: Readonly<Record<LoneStatement['kind'], 'catalog' | 'access'>> = {
  createTable: 'catalog',
  dropTable: 'catalog',
  addColumn: 'catalog',
  dropColumn: 'catalog',
  addCheck: 'catalog',
  dropConstraint: 'catalog',
  alterColumn: 'catalog',
  setNotNull: 'catalog',
  restartIdentity: 'catalog',
  renameColumn: 'catalog',
  renameTable: 'catalog',
  createIndex: 'catalog',
  dropIndex: 'catalog',
  createObserver: 'catalog',
  dropObserver: 'catalog',
  pauseObserver: 'catalog',
  resumeObserver: 'catalog',
  replayObserver: 'catalog',
  createSchedule: 'catalog',
  pauseSchedule: 'catalog',
  resumeSchedule: 'catalog',
  dropSchedule: 'catalog',
  createToken: 'access',
  alterToken: 'access',
  rotateToken: 'access',
  rotateSecret: 'access',
  alterStore: 'access',
  dropToken: 'access',
  createRole: 'access',
  alterRole: 'access',
  dropRole: 'access',
  grant: 'access',
  revoke: 'access',
  createBlock: 'access',
  dropBlock: 'access',
  createRelay: 'access',
  pauseRelay: 'access',
  resumeRelay: 'access',
  rotateRelay: 'access',
  dropRelay: 'access',
}

export function isAboutAccess(statement: LoneStatement): statement is AccessStatement {
  return LONE[statement.kind] === 'access'
}

function isDefinition(entry: ScriptStatement): entry is ScriptStatement<LoneStatement> {
  return standsAlone(entry.statement)
}

export function standsAlone(statement: Statement): statement is LoneStatement {
  return Object.hasOwn(LONE, statement.kind)
}

/** The names that a statement reads INTO; where it is explained, their types become known. */
export function intoOf(statement: RowStatement): Into | undefined {
  if (statement.kind === 'explain') return intoOf(statement.statement)
  return 'into' in statement ? statement.into : undefined
}

/** The kind of a statement and its table, as `SET account` or `EXPLAIN GET account`. */
export function statementKind(statement: RowStatement, catalog: Catalog): string {
  const isExplained = statement.kind === 'explain'
  const inner = isExplained ? statement.statement : statement
  // Statements on rows are of one word, and are very many.
  const words = inner.kind.startsWith('show') ? inner.kind.replace(/[A-Z]/g, ' $&') : inner.kind
  // As the catalog writes it: what the statement has is a part of its text, and would keep all of that.
  const table = 'table' in inner ? catalog.table(inner.table.text)?.name : undefined
  return `${isExplained ? 'EXPLAIN ' : ''}${words.toUpperCase()}${table === undefined ? '' : ` ${table}`}`
}
