// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import { loadPopulation } from '../../bench/brokerage/loading/load-population.ts'
import { loadDataDirectory } from '../../bench/brokerage/loading/percolite-loader.ts'
import { Population } from '../../bench/brokerage/population/population.ts'
import { profileOf } from '../../bench/brokerage/population/profiles.ts'
import { connect } from '../../client-sdk/client.ts'
import * as observers from '../../examples/web-index/observers.ts'
import { crawl } from '../../examples/web-index/pages/crawl.ts'
import { syntheticWeb } from '../../examples/web-index/pages/synthetic-web.ts'
import { untilAtRest } from '../../examples/web-index/rest.ts'
import { createSchema } from '../../examples/web-index/schema.ts'
import { startTestServer, type TestServer } from '../server/test-server.ts'
import { testFolder } from '../test-folder.ts'
import type { Cleaning } from './console-scene.ts'

const WEB_PAGES = 60
const LOAD_MS_MAX = 60_000

type Look = `${'in a wide window' | 'on a phone'}, ${'light' | 'dark'}`

/** What the console shows, and which of it is looked at. */
export type DataSet = {
  readonly name: string
  readonly start: (cleaning: Cleaning) => Promise<TestServer>
  /** Of Query and of Live; a SCAN whose rows come in the order of their keys. */
  readonly sql: { readonly query: string; readonly live: string }
  /** A table with more than a page of rows. */
  readonly table: string
  /** A row with a history, as it stands in an address. */
  readonly cells: { readonly table: string; readonly key: string }
  readonly observer?: string
  readonly looks: readonly Look[]
}

/** The brokerage as bench has it: 33 tables, 57 thousand rows, on disk. */
const BROKERAGE: DataSet = {
  name: 'a brokerage',
  async start(cleaning) {
    const data = join(await testFolder(cleaning, 'brokerage'), 'data')
    const population = new Population(profileOf('tiny'), 11n)
    const how = { signal: AbortSignal.timeout(LOAD_MS_MAX), say() {} }
    await loadDataDirectory(data, (loader) => loadPopulation(loader, population, how))
    const server = await startTestServer(cleaning, { flags: { engine: 'sqlite', data } })
    await meetConflicts(server)
    return server
  },
  sql: {
    query:
      'SCAN t.t_id, t.t_dts, t.t_s_symb, s.s_name, t.t_trade_price FROM trade AS t ' +
      'LOOKUP security AS s BY s.s_symb = t.t_s_symb LIMIT 50',
    live: 'SCAN * FROM last_trade',
  },
  table: 'trade',
  cells: { table: 'broker', key: '4300000001' },
  looks: ['in a wide window, light', 'on a phone, dark'],
}

/** The web index of the examples: eight observers, after a crawl. */
const WEB_INDEX: DataSet = {
  name: 'a web index',
  async start(cleaning) {
    const deps = { observers: Object.values(observers) }
    const server = await startTestServer(cleaning, { deps })
    const { url } = await server.listen()
    const db = connect({ url })
    cleaning.after(() => db.close())
    const signal = AbortSignal.timeout(LOAD_MS_MAX)
    await createSchema(db)
    for (const round of syntheticWeb(WEB_PAGES, 3).rounds) {
      await crawl(db, round, { crawlers: 8, signal, onPage() {} })
      await untilAtRest(url, signal)
    }
    return server
  },
  sql: { query: 'SCAN * FROM cluster LIMIT 50', live: 'SCAN * FROM anchor' },
  table: 'posting',
  cells: { table: 'page', key: 'http%3A%2F%2Fbace.example%2Fbace-0' },
  observer: 'index_words',
  looks: ['in a wide window, dark', 'on a phone, light'],
}

export const DATA_SETS = [BROKERAGE, WEB_INDEX]

/** Two transactions that want the same row, some times, and one that stays open. */
async function meetConflicts(server: TestServer): Promise<void> {
  const run = (id: string, sql: string) => server.post(`/v1/transactions/${id}/query`, { sql })
  for (const broker of [4300000001, 4300000001, 4300000002]) {
    const ids = [await server.begin(), await server.begin()]
    const sql = `SET b_num_trades = b_num_trades + 1 ON broker WHERE b_id = ${broker}`
    for (const id of ids) await run(id, sql)
    for (const id of ids) await run(id, 'COMMIT')
  }
  await run(await server.begin(), 'SET b_comm_total = 0 ON broker WHERE b_id = 4300000003')
}
