// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { Sample } from '../harness/sample.ts'
import { shortNumber } from '../report/report-table.ts'
import { ratesOf } from '../report/timeline.ts'
import type { Bank } from './bank.ts'
import type { BankServers, Victim } from './bank-servers.ts'

/** Of the time for each victim, what passes before it is killed. */
const CALM_SHARE = 1 / 3
/** The most of it that a victim stays away. */
const AWAY_SHARE_MAX = 1 / 6
const STEP_SECONDS = 0.5
/** Their name among the values over time, in transfers per second. */
export const TRANSFERS = 'transfers'

type Disturbed = { readonly victim: Victim; readonly killed: Killed; readonly backMs: number }

/** Clients transfer for so long, and one victim after the other is killed and started again meanwhile. */
export async function runDisturbed(
  bank: Bank,
  { servers, clients }: { readonly servers: BankServers; readonly clients: number },
  seconds: number,
  signal: AbortSignal,
): Promise<Sample> {
  const cpu = new CpuOfServers(servers)
  const driverBefore = process.cpuUsage()
  const beganMs = performance.now()
  let failure: unknown
  const running = bank.run(clients).catch((error: unknown) => {
    failure = error
  })
  const disturbed: Disturbed[] = []
  const untilMs = async (ms: number) => {
    await delay(Math.max(0, beganMs + ms - performance.now()), undefined, { signal }).catch(
      () => {},
    )
    signal.throwIfAborted()
    if (failure !== undefined) throw failure
  }
  try {
    const partMs = (seconds * 1_000) / servers.victims.length
    for (const [at, victim] of servers.victims.entries()) {
      await untilMs((at + CALM_SHARE) * partMs)
      const killedMs = performance.now() - beganMs
      await cpu.whileEnding(() => victim.kill())
      await untilMs(killedMs + Math.min(victim.awayMs, AWAY_SHARE_MAX * partMs))
      await victim.restart()
      const backMs = performance.now() - beganMs
      // What was away for longer than its part has no share in the level of the next one.
      const levelFromMs = Math.max(at * partMs, disturbed.at(-1)?.backMs ?? 0)
      const killed = { levelFromMs, killedMs, untilMs: (at + 1) * partMs }
      disturbed.push({ victim, killed, backMs })
    }
    await untilMs(seconds * 1_000)
  } finally {
    bank.end()
    await running
  }
  if (failure !== undefined) throw failure
  const { user, system } = process.cpuUsage(driverBefore)
  const measured = {
    seconds: (performance.now() - beganMs) / 1_000,
    cpuSeconds: cpu.seconds(),
    driverCpuSeconds: (user + system) / 1e6,
  }
  return { ...measured, ...(await found(bank, disturbed, { beganMs, seconds: measured.seconds })) }
}

/** What the run has shown, once nothing runs any more. */
async function found(
  bank: Bank,
  disturbed: readonly Disturbed[],
  { beganMs, seconds }: { readonly beganMs: number; readonly seconds: number },
): Promise<Pick<Sample, 'operations' | 'figures' | 'findings' | 'overTime'>> {
  const since = (ms: readonly number[]) => ms.map((one) => one - beganMs).filter((one) => one >= 0)
  const doneMs = since(bank.acknowledgedMs)
  const recoveries = disturbed.map((one) => ({ ...one, ...recoveryOf(doneMs, one.killed) }))
  const failed = bank.failedRequests.filter(({ atMs }) => atMs >= beganMs)
  const failures = await bank.check()
  const events = disturbed.flatMap(({ victim, killed, backMs }) => [
    { atSeconds: killed.killedMs / 1_000, what: `${victim.title} is killed` },
    { atSeconds: backMs / 1_000, what: `${victim.title} is back` },
  ])
  return {
    operations: doneMs.length,
    figures: {
      ...Object.assign({}, ...recoveries.map(({ victim, ...one }) => figuresOf(victim, one))),
      failedRequests: failed.length,
    },
    overTime: {
      stepSeconds: STEP_SECONDS,
      values: { [TRANSFERS]: ratesOf(doneMs, { seconds, stepSeconds: STEP_SECONDS }) },
      events,
    },
    findings: {
      lines: [
        ...recoveries.map((one) => lineOf(one)),
        `requests that failed and were sent again: ${countsOf(failed.map(({ why }) => why))}; transfers that were given up: 0`,
        ...(failures.length > 0 ? [] : [`${bank.said}; ${bank.sumWords}`]),
      ],
      data: recoveries.map(({ victim, ...one }) => ({ victim: victim.name, ...one })),
      failures,
    },
  }
}

function figuresOf({ name }: Victim, recovery: Recovery): Record<string, number> {
  const { lowestShare, recoveredSeconds, longestGapSeconds } = recovery
  return {
    ...(recoveredSeconds === undefined ? {} : { [`${name}RecoveredSeconds`]: recoveredSeconds }),
    ...(lowestShare === undefined ? {} : { [`${name}LowestPercent`]: lowestShare * 100 }),
    [`${name}LongestGapSeconds`]: longestGapSeconds,
  }
}

function lineOf({ victim, killed, backMs, ...recovery }: Disturbed & Recovery): string {
  const { level, lowestShare, recoveredSeconds, longestGapSeconds } = recovery
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
  const again =
    recoveredSeconds === undefined
      ? `not at ${RECOVERED_SHARE * 100} % again within ${seconds(killed.untilMs - killed.killedMs)}`
      : `at ${RECOVERED_SHARE * 100} % again after ${recoveredSeconds.toFixed(1)} s`
  return (
    `${victim.title} is killed after ${seconds(killed.killedMs)} and is back ${seconds(backMs - killed.killedMs)} later: ` +
    `${shortNumber(level)}/s before, ${shortNumber((lowestShare ?? 0) * 100)} % of it in the worst half second, ${again}; ` +
    `nothing acknowledged for ${longestGapSeconds.toFixed(2)} s at most`
  )
}

function countsOf(words: readonly string[]): string {
  const groups = Map.groupBy(words, (word) => word)
  if (groups.size === 0) return 'none'
  return [...groups].map(([word, all]) => `${all.length} ${word}`).join(', ')
}

/** CPU seconds of processes of which some end meanwhile. */
class CpuOfServers {
  readonly #servers: BankServers
  #before: number

  constructor(servers: BankServers) {
    this.#servers = servers
    this.#before = servers.cpuSeconds()
  }

  async whileEnding(end: () => Promise<void>): Promise<void> {
    const alive = this.#servers.cpuSeconds()
    await end()
    this.#before -= alive - this.#servers.cpuSeconds()
  }

  seconds(): number {
    return Math.max(0, this.#servers.cpuSeconds() - this.#before)
  }
}

/** What clients felt of one thing that was killed. Times in ms since the beginning of the run. */
type Killed = {
  /** Since when the level before it is taken. */
  readonly levelFromMs: number
  readonly killedMs: number
  /** Until when it is looked at: before the next thing is killed. */
  readonly untilMs: number
}

type Recovery = {
  /** Operations a second before it was killed. */
  readonly level: number
  /** Of the level, from 0 on, in the worst half second; undefined without a level, or without half a second. */
  readonly lowestShare: number | undefined
  /** From the kill to the first second at `RECOVERED_SHARE` of the level; undefined where there was none. */
  readonly recoveredSeconds: number | undefined
  /** The longest time without an operation. */
  readonly longestGapSeconds: number
}

const RECOVERED_SHARE = 0.9

const STEP_MS = 100
const LOWEST_MS = 500
const RECOVERED_MS = 1_000

/** `doneMs` ascends. */
export function recoveryOf(
  doneMs: readonly number[],
  { levelFromMs, killedMs, untilMs }: Killed,
): Recovery {
  const count = (fromMs: number, toMs: number) =>
    doneMs.reduce((sum, ms) => sum + (ms >= fromMs && ms < toMs ? 1 : 0), 0)
  const level = count(levelFromMs, killedMs) / (killedMs - levelFromMs)
  let lowestShare = Infinity
  let recoveredSeconds: number | undefined
  for (let ms = killedMs; ms + LOWEST_MS <= untilMs; ms += STEP_MS) {
    lowestShare = Math.min(lowestShare, count(ms, ms + LOWEST_MS) / (level * LOWEST_MS))
    if (recoveredSeconds !== undefined || ms + RECOVERED_MS > untilMs) continue
    const share = count(ms, ms + RECOVERED_MS) / (level * RECOVERED_MS)
    if (level > 0 && share >= RECOVERED_SHARE) recoveredSeconds = (ms - killedMs) / 1_000
  }
  return {
    level: level * 1_000,
    lowestShare: Number.isFinite(lowestShare) ? lowestShare : undefined,
    recoveredSeconds,
    longestGapSeconds: longestGapMs(doneMs, killedMs, untilMs) / 1_000,
  }
}

function longestGapMs(doneMs: readonly number[], fromMs: number, untilMs: number): number {
  const within = doneMs.filter((ms) => ms >= fromMs && ms < untilMs)
  const edges = [fromMs, ...within, untilMs]
  return Math.max(...edges.slice(1).map((ms, at) => ms - (edges[at] as number)))
}
