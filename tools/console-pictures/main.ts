// SPDX-License-Identifier: Apache-2.0
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { Brokerage } from '../../cli/demo/brokerage.ts'
import { connect } from '../../client-sdk/client.ts'
import { launchChromium } from '../../test/browser/chromium.ts'
import { buildConsole } from '../../test/console/built-console.ts'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { scriptFlags } from '../script-flags.ts'
import { OBSERVER_STATEMENTS, OBSERVERS } from './observers.ts'
import { type PicturedServer, type PicturedView, VIEWS } from './views.ts'

const HELP = `node tools/console-pictures/main.ts [--only <name>]

Makes the pictures of the console in docs/pictures/: each view, in a wide window and on a phone, light and dark, with
the brokerage of percolite demo after 2,000 trades. Needs Chromium: test/browser/chromium.sh.

  --only  one view: ${VIEWS.map(({ name }) => name).join(', ')}`

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
const TRADES = 2_000
const TRADE_EVERY_MS = 150
const BYTES_MAX = 150_000
const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 360, height: 720 }

const { values } = scriptFlags(HELP, { only: { type: 'string' } })
const { startTestServer } = await import('../../test/server/test-server.ts')
const { TokenServer } = await import('../../test/server/token-server.ts')
const wanted = VIEWS.filter(({ name }) => values.only === undefined || name === values.only)
await using cleaning = new AsyncDisposableStack()
const after = (work: () => unknown) => cleaning.defer(async () => void (await work()))
const members = await startMembers()
const urls: Readonly<Record<PicturedServer, string>> = {
  brokerage: await startBrokerage(),
  transfers: await startTransfers(),
  empty: (await (await startTestServer({ after }, { flags: { engine: 'memory' } })).listen()).url,
  members: (await members.server.listen()).url,
}
buildConsole()
const browser = await launchChromium()
cleaning.defer(() => browser.close())
await mkdir(FOLDER, { recursive: true })
for (const view of wanted) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await take(browser, view, { colorScheme, viewport: WIDE }, `${view.name}-${colorScheme}.png`)
  }
  const small = { colorScheme: 'light', viewport: PHONE } as const
  await take(browser, view, small, `${view.name}-phone.png`)
}

/** The same trades each time, on disk, so that the server has all of its figures. */
async function startBrokerage(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'percolite-pictures-'))
  cleaning.defer(() => rm(data, { recursive: true, force: true }))
  const server = await startTestServer(
    { after },
    { flags: { engine: 'sqlite', data }, deps: { observers: OBSERVERS } },
  )
  const { url: address } = await server.listen()
  const chance = new SeededRandomness(1)
  const db = connect({ url: address })
  cleaning.defer(() => db.close())
  const brokerage = await Brokerage.create(db, () => chance.fraction())
  for (const sql of OBSERVER_STATEMENTS) await db.query(sql)
  for (let at = 0; at < TRADES; at += 1) await brokerage.trade()
  goOn(address, brokerage)
  return address
}

/** Bob pays Joe, twice, on a server whose transactions leave locks to be seen. */
async function startTransfers(): Promise<string> {
  const flags = { engine: 'memory', commit: 'two-phase' }
  const server = await startTestServer({ after }, { flags })
  const rows = "('bob', 'Bob', 10), ('joe', 'Joe', 2)"
  await server.rows('CREATE TABLE account (id TEXT PRIMARY KEY, owner TEXT, balance INTEGER)')
  await server.rows(`INSERT INTO account (id, owner, balance) VALUES ${rows}`)
  for (const amount of [7, 2]) {
    await server.rows(`SET balance = balance - ${amount} ON account WHERE id = 'bob';
      SET balance = balance + ${amount} ON account WHERE id = 'joe'`)
  }
  return (await server.listen()).url
}

/** Members of a shop, each with what they may do. */
async function startMembers() {
  const started = await TokenServer.start({ after })
  for (const sql of [
    'CREATE TABLE note (owner TEXT, id INTEGER, text TEXT, PRIMARY KEY (owner, id))',
    'CREATE TABLE price (symbol TEXT PRIMARY KEY, amount DECIMAL(12, 2))',
    ...['CREATE ROLE member', 'CREATE ROLE clerk', 'CREATE ROLE report'],
    ...['READ', 'WRITE'].map((right) => `GRANT ${right} ON note TO member WHERE owner = token.sub`),
    ...[
      'GRANT READ ON price TO member',
      'GRANT WRITE ON price TO clerk',
      'GRANT INSPECT TO report',
    ],
    'CREATE TOKEN shop ROLE clerk EXPIRES IN 90 DAYS',
    'CREATE TOKEN nightly ROLE report EXPIRES IN 30 DAYS',
  ]) {
    await started.query(sql)
  }
  return started
}

/** Trades now and then, and somebody who watches them, until the pictures are taken. */
function goOn(address: string, brokerage: Brokerage): void {
  const ending = new AbortController()
  const { signal } = ending
  const db = connect({ url: address })
  const trading = (async () => {
    for (; !signal.aborted; await delay(TRADE_EVERY_MS)) await brokerage.trade()
  })()
  const watching = (async () => {
    for await (const _rows of db.live('SCAN id FROM trade USE PRIMARY KEY')) {
      if (signal.aborted) break
    }
  })()
  cleaning.defer(async () => {
    ending.abort()
    await trading
    db.close()
    await watching.catch(() => undefined)
  })
}

async function take(
  from: Browser,
  { of = 'brokerage', hash, prepare }: PicturedView,
  look: { colorScheme: 'light' | 'dark'; viewport: typeof WIDE },
  file: string,
): Promise<void> {
  const context = await from.newContext({ locale: 'en-US', ...look })
  const page = await context.newPage()
  await page.goto(`${urls[of]}/console/${hash}`)
  await prepare(page, members.token)
  await page.screenshot({ path: FOLDER + file, caret: 'hide', animations: 'disabled' })
  await context.close()
  const { size } = await stat(FOLDER + file)
  console.log(`${file}: ${Math.round(size / 1_000)} kB`)
  if (size > BYTES_MAX) throw new Error(`${file} has ${size} bytes, above ${BYTES_MAX}.`)
}
