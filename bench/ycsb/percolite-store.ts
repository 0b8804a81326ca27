// SPDX-License-Identifier: Apache-2.0
import { HttpClient, Retries } from '../load/http-client.ts'
import { FIELD_NAMES, type FieldChange, type Fields, type YcsbRecord } from './record.ts'
import { missingRecord, type YcsbStore } from './store.ts'

const COLUMNS = FIELD_NAMES.join(', ')
const PARAMETERS = FIELD_NAMES.map((name) => `:${name}`).join(', ')
const CREATE = `CREATE TABLE usertable (ycsb_key TEXT PRIMARY KEY, ${FIELD_NAMES.map((name) => `${name} TEXT`).join(', ')})`
const READ = `GET ${COLUMNS} FROM usertable WHERE ycsb_key = :key`
const INSERT = `INSERT INTO usertable (ycsb_key, ${COLUMNS}) VALUES (:key, ${PARAMETERS})`
const SCAN = `SCAN ycsb_key, ${COLUMNS} FROM usertable WHERE ycsb_key >= :key ORDER BY ycsb_key`

type Row = Readonly<Record<string, string>>
type Answer = {
  readonly results: readonly { readonly rows: readonly Row[]; readonly rowsAffected: number }[]
  readonly attempts: number
}
type Statement = { readonly sql: string; readonly params: Readonly<Record<string, string>> }

/**
 * Over HTTP, one request for each operation. A read-modify-write is a GET and a SET in one request: the
 * new text does not depend on the old one in YCSB, and a write in between is a conflict.
 */
export async function openPercoliteStore(
  { origin }: { readonly origin: string },
  clients: number,
): Promise<YcsbStore> {
  const http = new HttpClient(origin, clients)
  const retries = new Retries()
  let conflicts = 0
  const query = async (body: unknown): Promise<Answer> => {
    const text = JSON.stringify(body)
    return JSON.parse(await retries.run(() => http.post('/v1/query', text)))
  }
  return {
    async read(_client, key) {
      return fieldsOf(await query(read(key)), key)
    },
    async update(_client, key, changes) {
      conflicts += (await query(set(key, changes))).attempts - 1
    },
    async insert(_client, record) {
      await query(insert(record))
    },
    async scan(_client, key, count) {
      const answer = await query({ sql: `${SCAN} LIMIT ${count}`, params: { key } })
      return answer.results[0]?.rows.length ?? 0
    },
    async modify(_client, key, changes) {
      const answer = await query({ statements: [read(key), set(key, changes)] })
      fieldsOf(answer, key)
      conflicts += answer.attempts - 1
    },
    takeRetries() {
      const taken = conflicts + retries.take()
      conflicts = 0
      return taken
    },
    async create() {
      await query({ sql: CREATE })
    },
    async insertMany(records) {
      await query({ statements: records.map(insert) })
    },
    close: async () => http.close(),
  }
}

function read(key: string): Statement {
  return { sql: READ, params: { key } }
}

/** Texts differ only by the fields they name: at most eleven, and so the server plans them once. */
function set(key: string, changes: readonly FieldChange[]): Statement {
  const params: Record<string, string> = { key }
  const assignments = changes.map(([index, text]) => {
    const name = FIELD_NAMES[index] as string
    params[name] = text
    return `${name} = :${name}`
  })
  return { sql: `SET ${assignments.join(', ')} ON usertable WHERE ycsb_key = :key`, params }
}

function insert({ key, fields }: YcsbRecord): Statement {
  const params: Record<string, string> = { key }
  for (const [index, name] of FIELD_NAMES.entries()) params[name] = fields[index] as string
  return { sql: INSERT, params }
}

function fieldsOf({ results }: Answer, key: string): Fields {
  const row = results[0]?.rows[0]
  if (row === undefined) throw missingRecord(key)
  return FIELD_NAMES.map((name) => row[name] as string)
}
