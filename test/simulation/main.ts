// SPDX-License-Identifier: Apache-2.0
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { type CampaignReport, runCampaign } from './campaign.ts'
import { mutantNamed, plantMutant } from './mutants/plant-mutant.ts'
import { shrink } from './shrink.ts'
import type { SimulationResult } from './simulation.ts'
import { SOMETIMES } from './sometimes.ts'
import {
  BIASES,
  COMMIT_MODES,
  drawSwarm,
  type Kind,
  type Swarm,
  TOPOLOGIES,
  type Topology,
  WORKLOADS,
} from './swarm.ts'

const HELP = `npm run test:simulation -- [options]

  --seeds N         how many seeds are run (200)
  --from N          the first seed (1)
  --workers N       threads (one for each processor)
  --topology NAME   only runs of gateways over a shared store, or of an embedded one: gateways,
                    embedded; without it, seeds alternate between the two
  --commit MODE     how embedded runs commit: one-phase, two-phase, auto, changing
  --workload NAME   nothing but this: bank, onCall, registers, lists, scans, definitions, indexes,
                    observers, statements, identities
  --bias NAME       only runs of this kind: none, collecting, crashing; for gateways also pausing,
                    losing; for embedded also interactive, failing, slowSync
  --mutant NAME     plant this bug first; the run must then fail
  --replay SEED     run one seed and say what is wrong with it, shrunk where that succeeds
  --swarm JSON      fields of the configuration to use in a replay instead of the seed's own
  --trace           write the replayed run down, event by event
`

/** Exit code 0: every seed held; 1: a violation, or something rare was never seen; 2: a wrong call. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '200' },
      from: { type: 'string', default: '1' },
      workers: { type: 'string', default: String(availableParallelism()) },
      topology: { type: 'string' },
      commit: { type: 'string' },
      bias: { type: 'string' },
      workload: { type: 'string' },
      mutant: { type: 'string' },
      replay: { type: 'string' },
      swarm: { type: 'string', default: '{}' },
      trace: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const { mutant } = values
  const kind = kindOf(values)
  if (mutant !== undefined) mutantNamed(mutant)
  if (values.replay !== undefined) {
    if (mutant !== undefined) plantMutant(mutantNamed(mutant))
    const seed = numberOf(values.replay)
    const swarm = { ...drawSwarm(seed, kind), ...JSON.parse(values.swarm) }
    return await replay(seed, swarm, { trace: values.trace, planted: plantedFlags(mutant, kind) })
  }
  return await campaign({
    seeds: numberOf(values.seeds),
    from: numberOf(values.from),
    workers: numberOf(values.workers),
    ...(mutant === undefined ? {} : { mutant }),
    kind,
  })
}

async function campaign(options: {
  readonly seeds: number
  readonly from: number
  readonly workers: number
  readonly mutant?: string
  readonly kind: Kind
}): Promise<number> {
  const startedMs = performance.now()
  const secondsSoFar = () => (performance.now() - startedMs) / 1000
  const report = await runCampaign({
    ...options,
    failuresMax: FAILURES_MAX,
    onResult: (result, done) => {
      if (result.violations.length > 0) sayFailure(result, options)
      if (done % PROGRESS_SEEDS === 0) {
        const rate = (done / secondsSoFar()).toFixed(1)
        console.log(`${done} of ${options.seeds} seeds, ${rate} a second`)
      }
    },
  })
  sayCounters(report)
  const seconds = secondsSoFar()
  const failed = report.failures.length
  const events = (report.events / 1e6).toFixed(1)
  console.log(
    `${report.done} seeds, ${events} million events in ${seconds.toFixed(0)} s: ${failed} failed`,
  )
  const { topology, ...bias } = options.kind
  const unseen = unseenOf(report, topology === undefined ? TOPOLOGIES : [topology])
  const isWhole = options.seeds >= SEEDS_FOR_SOMETIMES && Object.keys(bias).length === 0
  if (isWhole && failed === 0 && unseen.length > 0) {
    console.log(`never seen, and must be: ${unseen.join(', ')}`)
    return 1
  }
  return failed > 0 ? 1 : 0
}

async function replay(
  seed: number,
  swarm: Swarm,
  how: { readonly trace: boolean; readonly planted: string },
): Promise<number> {
  const { simulate } = await import('./simulation.ts')
  const result = await simulate(seed, { swarm, ...(how.trace ? { trace: console.log } : {}) })
  console.log(
    `seed ${seed}: ${result.events} events, ${result.virtualMs.toFixed(0)} ms of virtual time`,
  )
  console.log(`trace ${result.traceHash}`)
  if (result.violations.length === 0) {
    console.log('no violation')
    return 0
  }
  sayViolations(result)
  if (how.trace) return 1
  const shrunk = await shrink(result, (simpler) => simulate(seed, { swarm: simpler }))
  const changed = Object.entries(shrunk.swarm).filter(
    ([field, value]) => value !== swarm[field as keyof Swarm],
  )
  if (changed.length > 0) {
    console.log(`\nThe same with a simpler run of ${shrunk.result.events} events:`)
    sayViolations(shrunk.result)
    const fields = JSON.stringify(Object.fromEntries(changed))
    console.log(
      `npm run test:simulation -- --replay ${seed}${how.planted} --swarm '${fields}' --trace`,
    )
  }
  return 1
}

function sayFailure(
  result: SimulationResult,
  { mutant, kind }: { readonly mutant?: string; readonly kind: Kind },
): void {
  console.log(`\nseed ${result.seed} fails:`)
  sayViolations(result)
  console.log(`npm run test:simulation -- --replay ${result.seed}${plantedFlags(mutant, kind)}\n`)
}

function plantedFlags(mutant: string | undefined, kind: Kind): string {
  return Object.entries({ mutant, ...kind })
    .flatMap(([flag, value]) => (value === undefined ? [] : [` --${flag} ${value}`]))
    .join('')
}

function sayViolations({ violations }: SimulationResult): void {
  for (const { checker, what } of violations.slice(0, 5)) console.log(`  ${checker}: ${what}`)
  if (violations.length > 5) console.log(`  and ${violations.length - 5} more`)
}

function sayCounters({ counters }: CampaignReport): void {
  for (const topology of TOPOLOGIES) {
    const counts = Object.entries(counters[topology].all())
    if (counts.length > 0) console.log(`${topology}:`)
    for (const [what, count] of counts) console.log(`${String(count).padStart(10)}  ${what}`)
  }
}

function unseenOf({ counters }: CampaignReport, topologies: readonly Topology[]): string[] {
  return topologies.flatMap((topology) =>
    SOMETIMES[topology]
      .filter((what) => counters[topology].get(what) === 0)
      .map((what) => `${topology}: ${what}`),
  )
}

function kindOf(given: {
  topology?: string
  bias?: string
  commit?: string
  workload?: string
}): Kind {
  const topology = oneOf('topology', TOPOLOGIES, given.topology)
  const biases =
    topology === undefined ? TOPOLOGIES.flatMap((one) => BIASES[one]) : BIASES[topology]
  const bias = oneOf('bias', biases, given.bias)
  const commit = oneOf('commit', [...COMMIT_MODES, 'changing'] as const, given.commit)
  const workload = oneOf('workload', WORKLOADS, given.workload)
  return {
    ...(topology === undefined ? {} : { topology }),
    ...(bias === undefined ? {} : { bias }),
    ...(commit === undefined ? {} : { commit }),
    ...(workload === undefined ? {} : { workload }),
  }
}

function oneOf<T extends string>(
  what: string,
  names: readonly T[],
  given: string | undefined,
): T | undefined {
  const found = names.find((name) => name === given)
  if (given !== undefined && found === undefined) throw new Error(`there is no ${what} ${given}`)
  return found
}

function numberOf(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`${text} is not a whole number`)
  return number
}

const FAILURES_MAX = 5
const PROGRESS_SEEDS = 500
/** With fewer seeds, something rare may be missing without anything being wrong. */
const SEEDS_FOR_SOMETIMES = 2_000

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
}
