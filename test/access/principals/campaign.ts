// SPDX-License-Identifier: Apache-2.0
import type { TestContext } from 'node:test'
import {
  Chooser,
  createTableText,
  type RandomTable,
} from '../../differential/random/random-table.ts'
import { SeededRandomness } from '../../seeded-randomness.ts'
import { openSocket } from '../../server/socket-client.ts'
import { extend, grant, grantEverywhere, makeTable, redefine, replace } from './changing.ts'
import type { HeldClaims } from './claims.ts'
import { lookBelow } from './looking-below.ts'
import { meetHidden } from './meeting-hidden.ts'
import { compareMissed } from './missed.ts'
import { comparePast, Past } from './past.ts'
import { READING_DOORS } from './reading.ts'
import type { RuledTable } from './ruled-table.ts'
import { conditionFor, type RandomGrant } from './rules.ts'
import { compareRun } from './runs.ts'
import type { About } from './statements.ts'
import { type Sockets, Subscribers } from './subscribers.ts'
import { mixRows } from './touch-hidden.ts'
import { compareTransaction } from './transactions.ts'
import { run, TwoServers } from './two-servers.ts'
import { writeAsFirst, writeAsSecond, writeTwice } from './writing.ts'

const TABLES = ['t', 'u']
/** The last kind of a change that is one of what the role may do ON ALL TABLES. */
const OF_ALL_TABLES = 8
const OTHER_RIGHTS = ['unknown_table', 'not_permitted', 'resume_too_old']
/** A role that has lost its last right has no sockets any more, so it always has one on this. It never reads it. */
const KEPT = tableOfIds('kept')
const DOORS = READING_DOORS.flatMap(([door, share]) => Array.from({ length: share }, () => door))

/** Runs so many steps by this seed. Rejects with AssertionError at the first difference. */
export async function comparePrincipals(
  t: TestContext,
  { seed, steps }: { readonly seed: number; readonly steps: number },
): Promise<void> {
  const choose = new Chooser(new SeededRandomness(seed))
  const servers = await TwoServers.start(t, choose)
  const open = async ({ tokens }: TwoServers['full'], headers: Readonly<Record<string, string>>) =>
    openSocket(t, (await tokens.server.listen()).port, { headers })
  const campaign = new Run(choose, servers, [
    await open(servers.full, servers.a.client.headers),
    await open(servers.own, servers.alone.headers),
    await open(servers.full, servers.b.client.headers),
  ])
  await campaign.begin()
  for (let step = 0; step < steps; step += 1) {
    try {
      await campaign.step(step)
    } catch (error) {
      throw new Error(`seed ${seed}, step ${step}: ${error}\n${campaign.tables}`, { cause: error })
    }
  }
  t.diagnostic(campaign.counts)
}

class Run {
  readonly #choose: Chooser
  readonly #servers: TwoServers
  readonly #sockets: Sockets
  readonly #counts = { ended: 0, agreed: 0, changes: 0 }
  #tables: RuledTable[] = []
  #subscribers: Subscribers[] = []
  #past = new Past()

  constructor(choose: Chooser, servers: TwoServers, sockets: Sockets) {
    this.#choose = choose
    this.#servers = servers
    this.#sockets = sockets
  }

  get counts(): string {
    return JSON.stringify(this.#counts)
  }

  /** What a failure is about. */
  get tables(): string {
    return this.#tables
      .map(
        ({ ddl, grants, exactness }) => `${ddl.join('; ')}\n${exactness} ${JSON.stringify(grants)}`,
      )
      .join('\n')
  }

  async begin(): Promise<void> {
    for (const { admin } of [this.#servers.full, this.#servers.own]) {
      await run(admin, createTableText(KEPT))
      await run(admin, `GRANT WRITE ON ${KEPT.name} TO member`)
    }
    for (const name of TABLES) this.#tables.push(await makeTable(this.#servers, this.#choose, name))
  }

  async step(step: number): Promise<void> {
    const choose = this.#choose
    const servers = this.#servers
    const table = choose.oneOf(this.#tables)
    if (choose.percent(50)) {
      await mixRows(servers, table, await this.#about(table, servers.a.claims))
    }
    await writeAsSecond(servers, table, await this.#about(table, servers.b.claims))
    await writeAsFirst(servers, table, await this.#about(table, servers.a.claims))
    const about = await this.#about(table, servers.a.claims)
    if (choose.percent(50)) await meetHidden(servers, table, about)
    await lookBelow(servers, table, about)
    for (let n = 0; n < 2; n += 1) {
      await choose.oneOf(DOORS)({ servers, table, about, sockets: this.#sockets })
    }
    if (choose.percent(10))
      await writeTwice(servers, table, { about, key: `key ${step}`.replace(' ', '') })
    if (choose.percent(15))
      await compareTransaction(servers, table, { about, sockets: this.#sockets })
    if (choose.percent(15)) await comparePast(servers, table, { about, past: this.#past })
    if (choose.percent(10))
      await compareMissed(servers, table, await this.#about(table, servers.a.claims))
    if (choose.percent(25)) await compareRun(servers, table, { about, sockets: this.#sockets })
    if (choose.percent(25)) await this.#agree()
    for (const each of this.#subscribers) if (choose.percent(4)) await each.leave(servers)
    if (this.#subscribers.length < 3 && choose.percent(40)) {
      const id = `s${step}`
      this.#subscribers.push(Subscribers.begin(this.#sockets, { table, about, id }))
    }
    // Where all rows are seen, or none may be, there is the least to compare.
    if (choose.percent(table.exactness === 'all' ? 25 : 8)) await this.#change(table)
  }

  /** Looks at the rows as they are now. */
  async #about(table: RuledTable, claims: HeldClaims): Promise<About> {
    if (table.rows.length === 0 || this.#choose.percent(30)) await this.#servers.hidden(table)
    const { rights } = this.#servers.everywhere
    const isClosed = this.#choose.percent(20) && !rights.includes('READ')
    const other = isClosed ? undefined : this.#tables.find((each) => each !== table)
    return {
      choose: this.#choose,
      table: table.table,
      claims,
      rows: table.rows,
      mayRead: table.may('READ'),
      shows: (of) => table.shows(this.#choose, of),
      ruled: table.ruled,
      checked: table.checked,
      other: {
        table: other?.table ?? KEPT,
        rows: other?.rows ?? [],
        mayRead: other?.may('READ') === true,
        isRuled: other !== undefined && other.exactness !== 'all',
      },
    }
  }

  async #agree(): Promise<void> {
    const left: Subscribers[] = []
    for (const each of this.#subscribers) {
      const agrees = await each.agree(this.#servers)
      if (agrees) left.push(each)
      this.#counts[agrees ? 'agreed' : 'ended'] += 1
    }
    this.#subscribers = left
  }

  async #change(table: RuledTable): Promise<void> {
    const choose = this.#choose
    await this.#agree()
    const concerned = this.#subscribers.filter((each) => each.table === table)
    const others = this.#subscribers.filter((each) => each.table !== table)
    await this.#past.note(this.#servers, table, await this.#about(table, this.#servers.a.claims))
    const showsAll = this.#servers.everywhere.rights.includes('READ') && choose.percent(50)
    const kind = showsAll ? OF_ALL_TABLES : choose.below(14)
    this.#counts.changes += 1
    if (kind < 2 && table.grants.length > 0) {
      const isOther = await extend(this.#servers, choose, table)
      if (!isOther) return
      for (const each of concerned) await each.endsWith(['resume_too_old'])
    } else if (kind < 7) {
      await grant(this.#servers, choose, table)
      if (!this.#servers.everywhere.rights.includes('READ')) {
        for (const each of concerned) await each.endsWith(OTHER_RIGHTS)
      }
    } else if (kind <= OF_ALL_TABLES) {
      await this.#changeEverywhere()
      return
    } else if (kind < 13) {
      await redefine(this.#servers, choose, table)
    } else {
      const made = await replace(this.#servers, choose, table)
      for (const each of concerned) await each.endsWith(['unknown_table'])
      this.#tables = this.#tables.map((each) => (each === table ? made : each))
      this.#past.forget(table)
    }
    for (const each of concerned) each.stop()
    this.#subscribers = others
  }

  /** All subscriptions of tables that show other rows since, or did in between, have ended by themselves. */
  async #changeEverywhere(): Promise<void> {
    const seen = (grants: readonly RandomGrant[]) => conditionFor(grants, 'READ', {})
    const before = new Map(this.#tables.map((table) => [table, seen(table.grants)]))
    await grantEverywhere(this.#servers, this.#choose, this.#tables)
    for (const each of this.#subscribers) {
      const { grants, granted } = each.table
      const conditions = new Set([before.get(each.table), seen(granted), seen(grants)])
      if (conditions.size > 1) await each.endsWith(OTHER_RIGHTS)
      each.stop()
    }
    this.#subscribers = []
  }
}

function tableOfIds(name: string): RandomTable {
  const id = { name: 'id', type: 'INTEGER', notNull: true } as const
  const primaryKey = [{ column: id, descending: false }]
  return { name, columns: [id], terms: [id], primaryKey, families: [], indexes: [] }
}
