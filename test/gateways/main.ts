// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  ENGINES,
  type EngineName,
  missingEngine,
  type SharedEngine,
  startEngine,
} from '../../bench/engines/shared-engine.ts'
import { Bank } from '../../bench/recovery/bank.ts'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { KillWatchers, OBSERVERS_FLAGS } from '../feed/kill-watchers.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { testFolder } from '../test-folder.ts'
import { runBrokerage, runMove, runWebIndex } from './examples.ts'
import { GatewaySet } from './gateway-set.ts'
import { Lists } from './lists.ts'
import { runLive } from './live.ts'

const HELP = `npm run test:gateways -- [--engine bigtable|etcd|sqlite] [--seconds 30] [--lossy] [--seed 7]

Three server processes over one Bigtable (an emulator) or one etcd (three members), transfers between accounts over any of
them, sums of all accounts, and lists that are read and appended to. Every few seconds a gateway is killed or paused for
longer than its locks live, and etcd's leader is killed. Prints what was acknowledged, lost and summed wrongly, and fails by its exit code.

  --engine   which of them; both without it. sqlite: one server with a folder of its own, for --only bank
  --only     bank; watchers: subscribers and observers of a table whose gateway is killed, who find another one;
             live: live results and writers at both of two gateways, of which one is killed;
             web-index and brokerage: the example and the benchmark over two gateways; move: the brokerage's database
             is moved there while it is used (not without this flag)
  --seconds  for how long each is disturbed or used
  --plot     a folder for the throughput over time as an SVG, with what was done to gateways and members
  --history  a folder for the history of the lists in EDN, which a checker such as Elle reads (list-append)
  --lossy    of a hundred mutations three are lost, three lose their answer, and one or two come late
  --seed     of the random moments`

const { values } = scriptFlags(HELP, {
  engine: { type: 'string' },
  only: { type: 'string' },
  seconds: { type: 'string', default: '30' },
  plot: { type: 'string' },
  history: { type: 'string' },
  lossy: { type: 'boolean', default: false },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
})
const seconds = Number(values.seconds)
const seed = Number(values.seed)
const engines = ENGINES.filter((name) => values.engine === undefined || values.engine === name)
if (engines.length === 0 && values.engine !== 'sqlite') {
  endMisused(
    HELP,
    `There is no --engine ${values.engine}; there are ${ENGINES.join(', ')}, sqlite.`,
  )
}
const SCENARIOS = {
  bank: runBank,
  watchers: runWatchers,
  live: (name: EngineName) => runLive(name, { seconds, seed }),
  'web-index': (name: EngineName) => runWebIndex(name, seed),
  brokerage: (name: EngineName) => runBrokerage(name, seconds),
  move: (name: EngineName) => runMove(name, seconds),
}
const scenarios = Object.entries(SCENARIOS).filter(([name]) =>
  values.only === undefined ? name !== 'move' : name === values.only,
)
if (scenarios.length === 0) {
  endMisused(
    HELP,
    `There is no --only ${values.only}; there are ${Object.keys(SCENARIOS).join(', ')}.`,
  )
}
if (values.engine === 'sqlite' && (values.only !== 'bank' || values.lossy)) {
  endMisused(HELP, 'Over sqlite there is --only bank, and not --lossy.')
}
if (!(seconds > 0) || !Number.isSafeInteger(seed)) {
  endMisused(HELP, '--seconds and --seed are numbers.')
}

const GATEWAYS = 3
const CLIENTS = 6
const LIST_CLIENTS = 6
const CALM_MS_MAX = 4_000
/** How long a member that was killed stays away. */
const MEMBER_AWAY_MS = 2_000
const LOSSY = fileURLToPath(new URL('./lossy-store.ts', import.meta.url))
/** Who has to have been told that nobody knows: every step of the protocol that changes a row. */
const TOLD = ['prewrite', 'commit', 'two-phase-commit', 'oracle-row', 'liveness']

let isSound = engines.length > 0 || (await runBank('sqlite'))
for (const name of engines) {
  const missing = missingEngine(name)
  if (missing !== false) {
    console.log(`${name}: left out, ${missing}`)
    continue
  }
  for (const [, run] of scenarios) if (!(await run(name))) isSound = false
}
process.exit(isSound ? 0 : 1)

async function runBank(name: EngineName | 'sqlite'): Promise<boolean> {
  const random = new SeededRandomness(seed)
  const cleaning: Array<() => Promise<void>> = []
  try {
    const folder = await testFolder({ after: (clean) => cleaning.unshift(clean) }, 'gateways')
    const log = join(folder, 'lost')
    const engine = name === 'sqlite' ? ownStore(folder) : await startEngine(name)
    cleaning.unshift(() => engine.close())
    const lossy = values.lossy ? { preloaded: LOSSY, env: { LOSSY_LOG: log } } : {}
    const gateways = new GatewaySet(engine, { random, ...lossy })
    cleaning.unshift(() => gateways.close())
    await gateways.start(name === 'sqlite' ? 1 : GATEWAYS)
    const bank = new Bank(gateways, random)
    const lists = new Lists(gateways, random)
    await bank.open()
    await lists.open()
    const running = Promise.all([bank.run(CLIENTS), lists.run(LIST_CLIENTS)])
    const events: Event[] = []
    const kinds = [() => gateways.disturb(), engine.killLeader && (() => disturbEngine(engine))]
    const hasAll = () => untold(log).length === 0
    const done = await disturbed(kinds, { random, running, events, hasAll })
    bank.end()
    lists.end()
    await running
    const faults = [
      ...(await bank.check()),
      ...(await lists.check()),
      ...(await unsound(gateways)),
      ...untold(log),
    ]
    const gap = `longest gap in service ${Math.round(bank.longestGapMs())} ms`
    console.log(`${engine.name}, seed ${seed}: ${bank.said}; ${lists.said}; ${done}; ${gap}`)
    if (values.lossy) console.log(`  ${countsOf(log)}`)
    for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`)
    console.log(`  ${faults.length} faults`)
    if (values.plot !== undefined) await plot(values.plot, engine.name, bank, events)
    if (values.history !== undefined) {
      await mkdir(values.history, { recursive: true })
      await writeFile(join(values.history, `${name}-${seed}.edn`), lists.history)
    }
    return faults.length === 0
  } finally {
    for (const clean of cleaning) await clean()
  }
}

/** A folder that one server after the other opens. */
function ownStore(
  folder: string,
): Pick<SharedEngine, 'name' | 'flags' | 'env' | 'close' | 'killLeader'> {
  const flags = ['--data', join(folder, 'data')]
  return { name: 'SQLite, one server', flags, env: {}, close: async () => undefined }
}

/** Subscribers of one gateway, and observers in all of them and elsewhere; the gateway of the subscribers is killed. */
async function runWatchers(name: EngineName): Promise<boolean> {
  const random = new SeededRandomness(seed)
  const cleaning: Array<() => unknown> = []
  const t = { after: (clean: unknown) => void cleaning.unshift(clean as () => unknown) }
  try {
    const engine = await startEngine(name)
    t.after(() => engine.close())
    const gateways = new GatewaySet(engine, { random, flags: OBSERVERS_FLAGS })
    t.after(() => gateways.close())
    await gateways.start(GATEWAYS)
    const watchers = await KillWatchers.create(t, gateways.urls[0] as string, random)
    const endMs = performance.now() + seconds * 1_000
    let kills = 0
    for (; kills === 0 || performance.now() < endMs; kills++) {
      watchers.begin()
      await delay(1_000 + random.below(CALM_MS_MAX))
      await gateways.kill(0)
      await watchers.killed()
      await watchers.check(gateways.urls[0] as string)
      await gateways.add()
    }
    console.log(`${engine.name}, seed ${seed}: ${kills} gateways killed; ${watchers.said}`)
    return true
  } finally {
    for (const clean of cleaning) await clean()
  }
}

async function plot(folder: string, name: string, bank: Bank, events: readonly Event[]) {
  const { drawTimeline, ratesOf } = await import('../../bench/report/timeline.ts')
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${name.replace(/\W+/g, '-')}${values.lossy ? '-lossy' : ''}.svg`)
  const stepSeconds = 1
  const doneMs = bank.acknowledgedMs.map((ms) => ms - bank.beganMs)
  const svg = await drawTimeline(
    {
      title: `Transfers under kills and pauses, ${name}`,
      yTitle: 'transfers acknowledged in a second',
      values: 'transfers',
    },
    {
      stepSeconds,
      values: { transfers: ratesOf(doneMs, { seconds, stepSeconds }) },
      events: events.map(({ atMs, what }) => ({ atSeconds: (atMs - bank.beganMs) / 1_000, what })),
    },
  )
  await writeFile(file, svg)
  console.log(`  ${file}`)
}

/** At a time of `performance.now()`. */
type Event = { readonly atMs: number; readonly what: string }

/**
 * Disturbs one thing after the other until the time is over, and up to three times as long while chance has not brought
 * all that is to be met; says how often what was done.
 */
async function disturbed(
  kinds: ReadonlyArray<(() => Promise<string>) | undefined>,
  {
    random,
    running,
    events,
    hasAll,
  }: {
    readonly random: SeededRandomness
    readonly running: Promise<unknown>
    readonly events: Event[]
    readonly hasAll: () => boolean
  },
): Promise<string> {
  let failure: unknown
  running.catch((error) => {
    failure = error
  })
  const counts = new Map<string, number>()
  const disturbances = kinds.filter((kind) => kind !== undefined)
  const beganMs = performance.now()
  const isOver = (times: number) => performance.now() >= beganMs + times * seconds * 1_000
  const isDone = () => isOver(3) || (isOver(1) && hasAll())
  for (let at = 0; !isDone() && failure === undefined; at++) {
    await delay(random.below(CALM_MS_MAX))
    const kind = disturbances[at % disturbances.length] as () => Promise<string>
    const atMs = performance.now()
    const what = await kind()
    events.push({ atMs, what })
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  if (failure !== undefined) throw failure
  return [...counts].map(([what, count]) => `${what} ${count} times`).join(', ')
}

/** Kills the member that leads, and resolves when it is back. */
async function disturbEngine(engine: Pick<SharedEngine, 'name' | 'killLeader'>): Promise<string> {
  const restart = await engine.killLeader?.()
  if (restart === undefined) return 'the engine has no leader'
  await delay(MEMBER_AWAY_MS)
  await restart()
  return `${engine.name}: the leader was killed`
}

/** What `/v1/check` of one gateway finds. */
async function unsound(gateways: GatewaySet): Promise<string[]> {
  const answer = await fetch(`${gateways.any()}/v1/check`)
  const body = (await answer.json()) as { sound: boolean; problems: unknown[] }
  return body.sound ? [] : [`/v1/check: ${JSON.stringify(body).slice(0, 2_000)}`]
}

function linesOf(log: string): string[] {
  return existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []
}

/** Steps of the protocol that were never told that their outcome is unknown: then the run has shown less. */
function untold(log: string): string[] {
  if (!values.lossy) return []
  const told = new Set(linesOf(log).map((line) => line.split(' ')[2]))
  return TOLD.filter((step) => !told.has(step)).map((step) => `${step} was never told "ambiguous"`)
}

function countsOf(log: string): string {
  const counts = new Map<string, number>()
  for (const line of linesOf(log)) {
    const [what, , told] = line.split(' ')
    for (const key of [what, told] as string[]) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].map(([key, count]) => `${key} ${count}`).join(', ')
}
