// SPDX-License-Identifier: Apache-2.0
import { Client, type CustomTypesConfig, DatabaseError, type QueryResult, types } from 'pg'
import {
  conflictOf,
  type PostgresServer,
  startPostgres,
  withClient,
} from '../../servers/postgres-server.ts'
import {
  type BeginOptions,
  type BulkLoader,
  type Engine,
  type GetMany,
  type ScanEach,
  type Session,
  type Transaction,
  TransactionAborted,
} from '../engine.ts'
import { createIndexStatements, createTableStatements } from '../schema/create-statements.ts'
import { type ColumnOf, columnsOf, type IndexOf, type TableName, typeOf } from '../schema/schema.ts'
import type { Value } from '../schema/table-shape.ts'
import { centsOf, withDecimals } from './amounts.ts'
import {
  type AnyRead,
  type AnyRow,
  BufferedTransaction,
  type Write,
} from './buffered-transaction.ts'
import {
  assertOneRow,
  columnsAndKey,
  firstColumn,
  keyColumns,
  numbered,
  primaryKeyOf,
  readAnswer,
  type SqlParameter,
  selectByKey,
  selectRange,
  writeStatement,
} from './sql-statements.ts'

const WALK_ROWS = 1_000

/** BIGINT and NUMERIC come as texts otherwise; all our numbers are below 2^53. */
const NUMBERS: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === types.builtins.NUMERIC) return centsOf
    return oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)
  }) as CustomTypesConfig['getTypeParser'],
}

export type PostgresSettings = {
  readonly folder: string
  /** With `off` a commit is on disk within a fraction of a second after it was acknowledged. */
  readonly synchronousCommit: 'on' | 'off'
}

/** PostgreSQL through pg: named prepared statements, one connection for each session. */
export class PostgresEngine implements Engine {
  readonly name: string
  readonly description: string
  readonly processIds: readonly number[]
  readonly #server: PostgresServer
  readonly #synchronousCommit: 'on' | 'off'

  private constructor(server: PostgresServer, settings: PostgresSettings) {
    const { synchronousCommit } = settings
    this.#server = server
    this.#synchronousCommit = synchronousCommit
    this.name = synchronousCommit === 'on' ? 'postgres' : 'postgres-async'
    this.processIds = [server.pid]
    this.description = `PostgreSQL through pg, a process of its own on this machine, REPEATABLE READ, named prepared statements, synchronous_commit ${synchronousCommit}, one connection for each session`
  }

  /** Throws PeerMissing. */
  static async start(settings: PostgresSettings): Promise<PostgresEngine> {
    return new PostgresEngine(await startPostgres(settings.folder), settings)
  }

  async load(fill: (loader: BulkLoader) => Promise<void>): Promise<void> {
    await withClient(this.#server.address, async (client) => {
      await loadPostgres(client, fill)
      await client.query('CHECKPOINT')
    })
  }

  async connect(): Promise<Session> {
    const client = new Client({ ...this.#server.address, types: NUMBERS })
    await client.connect()
    await client.query(`SET synchronous_commit = ${this.#synchronousCommit}`)
    return new PostgresSession(client)
  }

  async *walk<T extends TableName, C extends ColumnOf<T>>(
    table: T,
    columns: readonly C[],
    { index }: { readonly index?: IndexOf<T> } = {},
  ) {
    const client = new Client({ ...this.#server.address, types: NUMBERS })
    await client.connect()
    try {
      const order = keyColumns(table, index).join(', ')
      // Otherwise it would rather walk the table and sort, and the index would not be checked.
      await client.query('SET enable_seqscan = off')
      await client.query('SET enable_sort = off')
      await client.query('BEGIN')
      await client.query(
        `DECLARE walk NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM ${table} ORDER BY ${order}`,
      )
      for (;;) {
        const { rows } = await client.query(`FETCH ${WALK_ROWS} FROM walk`)
        if (rows.length === 0) break
        yield rows as never
      }
      await client.query('COMMIT')
    } finally {
      await client.end()
    }
  }

  async diskBytes(): Promise<number> {
    return await withClient(this.#server.address, async (client) => {
      const { rows } = await client.query(
        'SELECT pg_database_size(current_database()) + (SELECT sum(size) FROM pg_ls_waldir()) AS bytes',
      )
      return Number(rows[0].bytes)
    })
  }

  async close(): Promise<void> {
    await this.#server.close()
  }
}

class PostgresSession implements Session {
  readonly #client: Client
  readonly #names = new Map<string, string>()

  constructor(client: Client) {
    this.#client = client
    // A connection that is lost while nobody asks shows itself in the next query.
    client.on('error', () => {})
  }

  async begin({ readOnly = false }: BeginOptions): Promise<Transaction> {
    await this.#run([
      { text: `BEGIN ISOLATION LEVEL REPEATABLE READ${readOnly ? ' READ ONLY' : ''}`, values: [] },
    ])
    return new BufferedTransaction({
      read: async (reads) => {
        const results = await this.#run(reads.map(postgresQuery))
        return reads.map((read, position) => readAnswer(read, results[position]?.rows ?? []))
      },
      commit: (writes) => this.#commit(writes),
      rollback: () => this.#rollback(),
    })
  }

  async close(): Promise<void> {
    await this.#client.end()
  }

  async #commit(writes: readonly Write[]): Promise<void> {
    const statements = writes.map((write) =>
      writeStatement(write, numbered, { parameterOf: withDecimals }),
    )
    const results = await this.#run(statements)
    statements.forEach((statement, position) => {
      assertOneRow(results[position]?.rowCount ?? 0, statement)
    })
    try {
      await this.#client.query('COMMIT')
    } catch (error) {
      throw postgresAbort(error, 'commit')
    }
  }

  /** One behind the other, as the connection takes them. After a failure the transaction is over. */
  async #run(statements: readonly PostgresStatement[]): Promise<QueryResult<AnyRow>[]> {
    const results: QueryResult<AnyRow>[] = []
    try {
      for (const { text, values } of statements) {
        const query = { name: this.#nameOf(text), text, values: [...values] }
        results.push(await this.#client.query<AnyRow>(query))
      }
    } catch (error) {
      await this.#rollback().catch(() => {})
      throw postgresAbort(error, 'statement')
    }
    return results
  }

  async #rollback(): Promise<void> {
    await this.#client.query('ROLLBACK')
  }

  /** A prepared statement is known to its connection by a short name. */
  #nameOf(text: string): string {
    let name = this.#names.get(text)
    if (name === undefined) {
      name = `s${this.#names.size}`
      this.#names.set(text, name)
    }
    return name
  }
}

const UNIQUE_VIOLATION = '23505'

/**
 * What a failure means for the transaction. PostgreSQL reports two concurrent inserts of one key as a
 * unique violation also where the snapshot does not show the other row: a conflict like any other.
 */
function postgresAbort(cause: unknown, during: 'statement' | 'commit'): unknown {
  if (!(cause instanceof DatabaseError)) {
    const outcome = during === 'commit' ? 'unknown' : 'rolledBack'
    return new TransactionAborted('connectionLost', { outcome, cause })
  }
  const conflict = conflictOf(cause)
  if (conflict !== undefined) {
    return new TransactionAborted(conflict === 'deadlock' ? 'locked' : 'writeConflict', { cause })
  }
  const { code, table } = cause
  if (code === UNIQUE_VIOLATION && table === 'holding_summary') {
    return new TransactionAborted('writeConflict', { cause })
  }
  return cause
}

type PostgresStatement = { readonly text: string; readonly values: readonly SqlParameter[] }

/** One statement for each read, however many keys it has: they are one parameter, an array. */
function postgresQuery(read: AnyRead): PostgresStatement {
  switch (read.kind) {
    case 'get':
      return { text: selectByKey(read.table, read.columns, numbered), values: read.key }
    case 'getMany':
      return selectKeys(read)
    case 'scan':
      return selectRange(read, numbered, withDecimals)
    case 'scanEach':
      return selectFirsts(read)
  }
}

function selectKeys({ table, keys, columns }: GetMany): PostgresStatement {
  const key = primaryKeyOf(table)
  const select = `SELECT ${columnsAndKey(columns, key).join(', ')} FROM ${table}`
  const values = key.map((_column, place) => keys.map((one) => one[place] ?? null))
  if (key.length === 1) return { text: `${select} WHERE ${key[0]} = ANY($1)`, values }
  const text = `${select} WHERE (${key.join(', ')}) IN (${arrayOfEach(table, key)})`
  return { text, values }
}

function selectFirsts(read: ScanEach): PostgresStatement {
  const { table, columns, firsts } = read
  const first = firstColumn(read)
  const text = `SELECT ${columnsAndKey(columns, [first]).join(', ')} FROM ${table} WHERE ${first} = ANY($1) ORDER BY ${keyColumns(table, read.index).join(', ')}`
  return { text, values: [firsts] }
}

const ARRAYS = { integer: 'bigint', cents: 'numeric', text: 'text' } as const

/** A parameter for each column, which holds its values in all rows or keys. */
function arrayOfEach(table: TableName, columns: readonly string[]): string {
  const arrays = columns.map((column, place) => {
    return `$${place + 1}::${ARRAYS[typeOf(table, column) ?? 'text']}[]`
  })
  return `SELECT * FROM unnest(${arrays.join(', ')})`
}

/** Makes the tables, fills them, makes the indexes, and lets the planner know what is there. */
async function loadPostgres(
  client: Client,
  fill: (loader: BulkLoader) => Promise<unknown>,
): Promise<void> {
  for (const statement of createTableStatements('postgresql')) await client.query(statement)
  await fill({
    async insertRows(table, rows) {
      const columns = columnsOf(table).map((column) =>
        rows.map((row) => withDecimals(table, column, row[column] as Value)),
      )
      // A batch is one statement of few parameters.
      const text = `INSERT INTO ${table} ${arrayOfEach(table, columnsOf(table))}`
      await client.query({ name: `load_${table}`, text, values: columns })
    },
  })
  for (const statement of createIndexStatements()) await client.query(statement)
  await client.query('VACUUM ANALYZE')
}
