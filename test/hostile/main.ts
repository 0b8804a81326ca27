// SPDX-License-Identifier: Apache-2.0
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'
import { Attacker, type Fault } from './attacker.ts'
import { type BesideAwayStore, besideAwayStore } from './away-store.ts'
import { Bystanders } from './bystanders.ts'
import { COSTLY_TABLE, costlyTexts, repeatCostly } from './costly-texts.ts'
import { flood, floods } from './floods.ts'
import { liveFloods, prepareLive } from './live-floods.ts'
import { worstRequests } from './worst-requests.ts'

const HELP = `npm run test:hostile -- [--only operation]

The worst bodies, parameters and frames for every operation of openapi.yaml and every frame of the socket, as many
requests, chunks and frames as a hundred connections hold, and known texts whose work takes long, repeated at each
door, sent to a real server, beside a prober of its health and a second client; and a hundred clients at one whose store
hangs. Prints a line for each with the longest that health had to wait, the best of three where one was too long, and
fails by its exit code.

  --only      only this operation, by its name in openapi.yaml, only frames of this type, flood, costly, live or away
  --limit-ms  how long health may wait: 250, and 1000 where CI is set`

const { values } = scriptFlags(HELP, { only: { type: 'string' }, 'limit-ms': { type: 'string' } })

/** Where others share the machine the figure of CI is wider; see `docs/testing.md`. */
const LIMIT_MS = Number(values['limit-ms'] ?? (process.env.CI === undefined ? 250 : 1_000))
/** The best of so many counts, because what else the machine does makes one of them late. */
const TRIES = 3
const RESIDENT_MIB_MAX = 1_024

const { loadContract } = await import('../../server/doors/http/openapi/contract.ts')
const { CLIENT_FRAMES } = await import('../../server/doors/websocket/client-frame.ts')
const { worstFrames } = await import('./worst-frames.ts')
const { document } = loadContract()
const FLOOD = 'flood'
const COSTLY = 'costly'
const LIVE = 'live'
const AWAY = 'away'
const targets = [
  ...document.operations.map(({ id }) => id),
  ...[...CLIENT_FRAMES, FLOOD, COSTLY, LIVE, AWAY],
]
if (values.only !== undefined && !targets.includes(values.only)) {
  endMisused(
    HELP,
    `There is no operation and no frame ${values.only}; there are ${targets.join(', ')}.`,
  )
}
if (!(LIMIT_MS > 0)) endMisused(HELP, '--limit-ms is a number of milliseconds.')

const cleaning: Array<() => Promise<void>> = []
const folder = await testFolder({ after: (clean) => cleaning.push(clean) }, 'hostile')
const server = await ServerProcess.start(folder)
const attacker = new Attacker(server.url)
const faults: string[] = []
let sent = 0
let residentMiB = 0

await define('CREATE TABLE victim (id TEXT PRIMARY KEY, n INTEGER, t TEXT, j JSON)')
await define('CREATE TABLE small (id INTEGER PRIMARY KEY, n INTEGER)')
await define("INSERT INTO victim (id, n, t) VALUES ('a', 1, 'a'), ('b', 2, 'b')")

const bystanders = new Bystanders(server.url)

for (const operation of document.operations) {
  if (values.only !== undefined && values.only !== operation.id) continue
  const places = { table: 'victim', key: 'a', transaction: await openTransaction() }
  await attack(operation.id, worstRequests(document, operation, places), (each) =>
    attacker.request(each),
  )
}
for (const type of CLIENT_FRAMES) {
  if (values.only !== undefined && values.only !== type) continue
  await attack(`frame ${type}`, worstFrames(document, type), ({ bytes }) => attacker.frame(bytes))
}
if (values.only === undefined || values.only === FLOOD) {
  await attack(FLOOD, floods(), async (each) => {
    await flood(server.url, each)
    return undefined
  })
}
if (values.only === undefined || values.only === COSTLY) {
  for (const sql of COSTLY_TABLE) await define(sql)
  await attack(COSTLY, costlyTexts(), (each) => repeatCostly(server.url, each))
}
if (values.only === undefined || values.only === LIVE) {
  await prepareLive(server.url)
  await attack(LIVE, liveFloods(), ({ run }) => run(server.url))
}
if (values.only === undefined || values.only === AWAY) await attackAway()
await finish()

/** Sends each of them; of one that made health wait too long the best of several times counts. */
async function attack<Each extends { readonly name: string }>(
  target: string,
  all: Iterable<Each>,
  send: (each: Each) => Promise<Fault>,
): Promise<void> {
  let worst = { ms: 0, name: '' }
  let count = 0
  for (const each of all) {
    let ms = Number.POSITIVE_INFINITY
    for (let time = 0; time < TRIES && ms > LIMIT_MS; time += 1) {
      const measured = await delayDuring(() => send(each))
      ms = Math.min(ms, measured.ms)
      if (measured.fault !== undefined) faults.push(`${target}, ${each.name}: ${measured.fault}`)
    }
    count += 1
    if (ms > LIMIT_MS) faults.push(`${target}, ${each.name}: health waited ${Math.round(ms)} ms`)
    if (ms > worst.ms) worst = { ms, name: each.name }
    residentMiB = Math.max(residentMiB, server.residentMiB() ?? 0)
  }
  sent += count
  const delay = `${Math.round(worst.ms)} ms`.padStart(8)
  process.stdout.write(
    `${target.padEnd(28)} ${String(count).padStart(4)} sent ${delay}  ${worst.name}\n`,
  )
}

/** Clients of a server of its own, whose store does not answer. */
async function attackAway(): Promise<void> {
  let best: BesideAwayStore | undefined
  for (let time = 0; time < TRIES && (best?.healthMs ?? Infinity) > LIMIT_MS; time += 1) {
    const tried = await besideAwayStore()
    if (tried.healthMs < (best?.healthMs ?? Infinity)) best = tried
    for (const fault of tried.faults) faults.push(`${AWAY}, ${fault}`)
  }
  const { sent: count = 0, healthMs = Infinity } = best ?? {}
  sent += count
  if (healthMs > LIMIT_MS) faults.push(`${AWAY}: health waited ${Math.round(healthMs)} ms`)
  const delay = `${Math.round(healthMs)} ms`.padStart(8)
  process.stdout.write(`${AWAY.padEnd(28)} ${String(count).padStart(4)} sent ${delay}\n`)
}

async function delayDuring(work: () => Promise<Fault>): Promise<{ ms: number; fault: Fault }> {
  bystanders.forgetWaits()
  const fault = await work()
  return { ms: bystanders.longestMs, fault }
}

async function define(sql: string): Promise<void> {
  const response = await fetch(`${server.url}/v1/query`, { method: 'POST', body: sql })
  if (!response.ok) throw new Error(await response.text())
}

async function openTransaction(): Promise<string> {
  const response = await fetch(`${server.url}/v1/transactions`, { method: 'POST' })
  return ((await response.json()) as { transaction: string }).transaction
}

async function finish(): Promise<void> {
  const well = await fetch(`${server.url}/v1/tables/victim/rows/b`)
  if (well.status !== 200) faults.push(`afterwards a row is ${well.status}`)
  await bystanders.end()
  const { probes, served, refused } = bystanders.counts
  if (refused > 0) faults.push(`${refused} of ${served + refused} small requests were not served`)
  if (residentMiB > RESIDENT_MIB_MAX) {
    faults.push(`${Math.round(residentMiB)} MiB resident, at most ${RESIDENT_MIB_MAX} are allowed`)
  }
  attacker.close()
  const code = await server.stop()
  if (code !== 0) faults.push(`the server ended with ${code}`)
  for (const clean of cleaning) await clean()
  process.stdout.write(
    `${sent} requests and frames, health asked ${probes} times (at most ${LIMIT_MS} ms), ` +
      `${served} small requests served, ${Math.round(residentMiB)} MiB resident at most\n`,
  )
  for (const fault of faults) process.stdout.write(`FAULT ${fault}\n`)
  process.stdout.write(faults.length === 0 ? 'all well\n' : `${faults.length} faults\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
