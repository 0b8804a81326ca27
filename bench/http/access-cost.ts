// SPDX-License-Identifier: Apache-2.0
import type { Experiment } from '../harness/experiment.ts'
import { OWNED_ROWS, OWNER } from '../load/http-workload.ts'
import { loadedContender } from '../load/loaded-contender.ts'
import { SharedServer } from '../servers/measured-server.ts'
import {
  type PercoliteOptions,
  type PercoliteServer,
  startPercolite,
  tokenOf,
} from '../servers/percolite-server.ts'
import { closedOnFailure } from '../stores/start-store.ts'

const CLIENTS = 16
const MODULE = new URL('../load/http-workload.ts', import.meta.url).href

type Guarded = PercoliteServer & { readonly token?: string }

/** By what each contender is let in: the statements of its server. */
const WAYS = {
  'GET without a token': [],
  'GET with a token': ['CREATE TOKEN load ROLE admin EXPIRES IN 1 DAY'],
  'GET with a token and a rule by key': [
    'CREATE ROLE member',
    'GRANT READ ON owned TO member WHERE owner = token.sub',
    'CREATE TOKEN root ROLE admin EXPIRES IN 1 DAY',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

type Way = keyof typeof WAYS
const [OPEN, TOKEN, RULE] = Object.keys(WAYS) as [Way, Way, Way]

/** The same GET of one row, by whom is asked for nothing, by a token, and by one whose role has a rule. */
export function accessCost(options: PercoliteOptions): Experiment {
  return {
    name: 'access',
    title: 'GET of one row, with and without access control',
    unit: 'requests',
    // Each has a server of its own, which V8 has to compile.
    warmUpSeconds: 6,
    contenders: [OPEN, TOKEN, RULE].map((way) =>
      loadedContender({
        name: way,
        server: new SharedServer('percolite', (folder) => guarded(folder, way, options)),
        load: ({ origin, token }) => ({
          module: MODULE,
          settings: { origin, request: 'getOwned', rows: OWNED_ROWS, token },
        }),
        clients: CLIENTS,
      }),
    ),
    goals: [
      { what: TOKEN, of: TOKEN, to: OPEN, must: 0.92, aim: 1 },
      { what: RULE, of: RULE, to: OPEN, must: 0.85, aim: 0.95 },
    ],
  }
}

async function guarded(folder: string, way: Way, options: PercoliteOptions): Promise<Guarded> {
  const server = await startPercolite(folder, options)
  return await closedOnFailure(server, async () => {
    await server.query({
      sql: 'CREATE TABLE owned (owner TEXT, id INTEGER, value TEXT, PRIMARY KEY (owner, id))',
    })
    for (let first = 0; first < OWNED_ROWS; first += 100) {
      const rows = Array.from({ length: 100 }, (_, n) => `('${OWNER}', ${first + n}, 'x')`)
      await server.query({ sql: `INSERT INTO owned (owner, id, value) VALUES ${rows.join(', ')}` })
    }
    let token: string | undefined
    for (const sql of WAYS[way]) token = tokenOf(await server.query({ sql })) ?? token
    if (way !== RULE) return { ...server, ...(token === undefined ? {} : { token }) }
    const sql = `CREATE TOKEN ${OWNER} ROLE member EXPIRES IN 1 DAY`
    return { ...server, token: tokenOf(await server.query({ sql }, token)) as string }
  })
}
