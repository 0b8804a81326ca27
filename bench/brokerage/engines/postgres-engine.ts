// SPDX-License-Identifier: Apache-2.0
import { Client, type CustomTypesConfig, type QueryResult, types } from 'pg'
import { type PostgresServer, startPostgres, withClient } from '../../servers/postgres-server.ts'
import type { BeginOptions, BulkLoader, Engine, Session, Transaction } from '../engine.ts'
import { loadPostgres } from '../loading/postgres-loader.ts'
import type { ColumnOf, IndexOf, TableName } from '../schema/schema.ts'
import { type AnyRow, BufferedTransaction, type Write } from './buffered-transaction.ts'
import { keyColumns } from './key-order.ts'
import { postgresAbort } from './postgres-errors.ts'
import { type PostgresStatement, postgresQuery } from './postgres-reads.ts'
import { readAnswer } from './read-answers.ts'
import { assertOneRow, numbered, writeStatement } from './sql-statements.ts'

const WALK_ROWS = 1_000

/** BIGINT comes as a text otherwise; all our numbers are below 2^53. */
const NUMBERS: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
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
    const statements = writes.map((write) => writeStatement(write, numbered))
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
