// SPDX-License-Identifier: Apache-2.0
import { SeededRandomness } from '../seeded-randomness.ts'

/**
 * What one run is like. One mix of everything finds little, so each seed draws a mix of its own: many
 * gateways or one, few keys or many, calm or stormy (the swarm testing of Groce et al.).
 */
export type Swarm = {
  readonly topology: Topology
  readonly gateways: number
  readonly clients: number
  readonly transactions: number
  readonly keys: number
  readonly columns: number
  /** The middle of a client's pauses for thought. */
  readonly thinkMs: number
  /** The share of pauses in which a client forgets its transaction for a while, and for how long. */
  readonly forgetRate: number
  readonly forgetMsMax: number
  /** The middle of the way to the store and back. */
  readonly delayMs: number
  /** The share of store calls that meet a fault. */
  readonly faultRate: number
  /** How many calls one after the other an outage loses at most, whoever sends them. */
  readonly outageCallsMax: number
  /** How long after it was sent a request may still be applied (H, assumption A3). */
  readonly lateMsMax: number
  /** The share of store calls before which the process is paused, and for how long at most. */
  readonly pauseRate: number
  readonly pauseMsMax: number
  /** The share of store calls at which the process dies. */
  readonly crashRate: number
  /** The share of store calls at which the process' wall clock jumps. */
  readonly clockJumpRate: number
  readonly deleteRate: number
  readonly longValueRate: number
  readonly guardRate: number
  readonly keepsOutcomeRate: number
  /** After how long `outcomeOf` gives up a transaction that somebody may still hold open. */
  readonly openMsMax: number
  /** The middle of a gateway's pauses between collections of garbage; undefined: it never collects. */
  readonly collectEveryMs: number | undefined
  readonly retention: { readonly retentionMs: number; readonly heldMsMax: number }
  readonly ranges: RangeSwarm
  /** The shares of the workloads. */
  readonly mix: Readonly<Record<Workload, number>>
  /** How many rows one transaction of the building of an index takes at most. */
  readonly indexBatchRows: number
  readonly feed: FeedSwarm
  /** Of a store that one process owns; without meaning elsewhere. */
  readonly embedded: EmbeddedSwarm
}

/** Of collections of a store that gateways share; without meaning elsewhere. */
export type RangeSwarm = {
  /** So many rows make a range of the store; undefined: it is one. */
  readonly splitRows: number | undefined
  /** Whether one gateway begins the collections, at most one in each interval, and the others help. */
  readonly together: boolean
}

export type FeedSwarm = {
  readonly readers: number
  /** The middle of how long a reader follows, and of how long it is away then. */
  readonly followMs: number
  readonly awayMs: number
}

export type EmbeddedSwarm = {
  /** How transactions are committed; `changing`: another way with each start of the process. */
  readonly commit: CommitMode | 'changing'
  /** The middle of how long a sync takes. */
  readonly syncMs: number
  /** The share of groups that become visible before they are durable. */
  readonly shownFirstRate: number
  /** The share of groups that fail before COMMIT, and of those whose COMMIT fails. */
  readonly groupFailRate: number
  readonly commitFailRate: number
  /** The middle of how long a process runs until it is stopped in order; undefined: until it dies. */
  readonly stopEveryMs: number | undefined
  /** A commit of more rows than this is looked at in several turns; undefined: as in production. */
  readonly commitTurnRows: number | undefined
  readonly redoLog: RedoSwarm
}

export type RedoSwarm = {
  /** The share of processes that use the redo log. */
  readonly share: number
  /** From so many cells on a memtable is flushed. */
  readonly memtableCells: number
}

export const COMMIT_MODES = ['one-phase', 'two-phase', 'auto'] as const
export type CommitMode = (typeof COMMIT_MODES)[number]

/** Several gateways over a store that they share, or one process that owns its store. */
export const TOPOLOGIES = ['gateways', 'embedded'] as const
export type Topology = (typeof TOPOLOGIES)[number]

/** Of which each run draws its shares. */
const MIXED = ['bank', 'onCall', 'registers', 'lists', 'scans', 'definitions'] as const
export const WORKLOADS = [...MIXED, 'indexes', 'observers', 'statements', 'identities'] as const
export type Workload = (typeof WORKLOADS)[number]

/** Families of runs that are biased towards one kind of trouble; each seed belongs to one. */
export const BIASES = {
  gateways: ['none', 'collecting', 'pausing', 'crashing', 'losing'],
  embedded: ['none', 'collecting', 'interactive', 'crashing', 'failing', 'slowSync'],
} as const
export type Bias = (typeof BIASES)[Topology][number]

/** What is asked of a run, instead of what its seed would draw. */
export type Kind = {
  readonly topology?: Topology
  readonly bias?: Bias
  readonly commit?: EmbeddedSwarm['commit']
  /** Nothing but this. */
  readonly workload?: Workload
  /** Several readers of the feed. */
  readonly isFollowed?: true
}

/** Seeds alternate between the topologies: the even ones own their store. */
export function drawSwarm(seed: number, kind: Kind = {}): Swarm {
  const topology = kind.topology ?? (seed % 2 === 0 ? 'embedded' : 'gateways')
  const draw = new Draw(Math.imul(seed, 0x9e3779b1) ^ 0x5eed)
  const swarm = topology === 'embedded' ? drawEmbedded(draw, kind) : drawGateways(draw, kind.bias)
  const embedded = { ...swarm.embedded, redoLog: drawRedoLog(seed) }
  return {
    ...swarm,
    ...drawIndexes(seed, swarm, kind),
    ...drawRanges(seed, swarm),
    feed: drawFeed(seed, swarm, kind),
    embedded,
  }
}

/** Drawn apart as well. */
function drawRedoLog(seed: number): RedoSwarm {
  const draw = new Draw(Math.imul(seed, 0x27d4eb2f) ^ 0x2ed0)
  return { share: draw.oneOf(0, 0.5, 1), memtableCells: draw.oneOf(1, 4, 20, 200) }
}

/** Drawn apart as well: of one gateway nobody could help the other. */
function drawRanges(
  seed: number,
  { topology, gateways, collectEveryMs }: DrawnSwarm,
): Pick<Swarm, 'ranges' | 'gateways'> {
  if (topology === 'embedded' || collectEveryMs === undefined)
    return { gateways, ranges: ONE_RANGE }
  const draw = new Draw(Math.imul(seed, 0x165667b1) ^ 0x5917)
  const ranges = { splitRows: draw.oneOf(undefined, 2, 5), together: draw.oneOf(false, true) }
  return { ranges, gateways: ranges.together ? gateways + 1 : gateways }
}

const ONE_RANGE: RangeSwarm = { splitRows: undefined, together: false }

/** Drawn apart as well. Where processes share a store, a follower looks at it twice a second. */
function drawFeed(
  seed: number,
  { topology, thinkMs }: DrawnSwarm,
  { isFollowed }: Kind,
): FeedSwarm {
  const draw = new Draw(Math.imul(seed, 0xc2b2ae35) ^ 0xfeed)
  const drawn = draw.oneOf(0, 1, 1, 2)
  const readers = isFollowed === true ? 3 : drawn
  const scale = Math.max(1, thinkMs / 5)
  return topology === 'embedded'
    ? { readers, followMs: draw.oneOf(5, 50, 500) * scale, awayMs: draw.oneOf(1, 20, 200) * scale }
    : { readers, followMs: draw.oneOf(100, 2_000), awayMs: draw.oneOf(50, 1_000, 60_000) }
}

/**
 * In some runs nearly everybody works on a table with indexes. That is drawn apart from the rest, so
 * that the other runs are what they would be without.
 */
function drawIndexes(
  seed: number,
  { mix }: DrawnSwarm,
  { workload, bias }: Kind,
): Pick<Swarm, 'mix' | 'indexBatchRows'> {
  const draw = new Draw(Math.imul(seed, 0x85ebca6b) ^ 0x1dec5)
  const indexBatchRows = draw.oneOf(1, 1, 2, 5, 250)
  const none = Object.fromEntries(WORKLOADS.map((one) => [one, 0])) as Record<Workload, number>
  if (workload !== undefined) return { indexBatchRows, mix: { ...none, [workload]: 1 } }
  const isIndexed = bias === undefined && draw.random.fraction() < INDEXED_SHARE
  const indexed = isIndexed ? { ...mix, indexes: 6 } : mix
  const isObserved = bias === undefined && draw.random.fraction() < OBSERVED_SHARE
  const observed = isObserved ? { ...indexed, observers: 4 } : indexed
  const isStated = bias === undefined && draw.random.fraction() < STATED_SHARE
  const stated = isStated ? { ...observed, statements: 4 } : observed
  const isNumbered = bias === undefined && draw.random.fraction() < NUMBERED_SHARE
  return { indexBatchRows, mix: isNumbered ? { ...stated, identities: 4 } : stated }
}

const INDEXED_SHARE = 0.25
const OBSERVED_SHARE = 0.25
const STATED_SHARE = 0.2
const NUMBERED_SHARE = 0.15

/** The feed's readers and the ranges are drawn apart. */
type DrawnSwarm = Omit<Swarm, 'feed' | 'ranges'>

class Draw {
  readonly random: SeededRandomness

  constructor(seed: number) {
    this.random = new SeededRandomness(seed)
  }

  oneOf<T>(...choices: readonly T[]): T {
    return choices[this.random.below(choices.length)] as T
  }

  mix(): Record<Workload, number> {
    const { random } = this
    const drawn = MIXED.map((workload) => [
      workload,
      random.fraction() < 0.25 ? 0 : random.fraction(),
    ])
    const mix = Object.fromEntries(drawn) as Record<(typeof MIXED)[number], number>
    if (Object.values(mix).every((share) => share === 0)) mix.bank = 1
    return { ...mix, indexes: 0, observers: 0, statements: 0, identities: 0 }
  }
}

function drawGateways(draw: Draw, forced?: Bias): DrawnSwarm {
  const { random } = draw
  const oneOf = <T>(...choices: readonly T[]): T => draw.oneOf(...choices)
  const drawn = oneOf<Bias>('none', 'none', 'collecting', 'pausing', 'crashing', 'losing')
  const bias = forced ?? drawn
  const mix = draw.mix()
  const isCollecting = bias === 'collecting'
  const isCalm = bias === 'none' && random.fraction() < 0.2
  return {
    topology: 'gateways',
    gateways: 1 + random.below(isCollecting ? 2 : 6),
    clients: isCollecting ? 6 + random.below(3) : 2 + random.below(7),
    transactions: 60 + random.below(21),
    keys: 3 + random.below(22),
    columns: oneOf(1, 2, 2, 3),
    // A collection lasts minutes, for it waits out every lease and every late request.
    thinkMs: isCollecting ? oneOf(3_000, 6_000) : oneOf(0, 1, 10, 100, 500),
    forgetRate: isCollecting ? oneOf(0, 0.03, 0.06) : 0,
    forgetMsMax: 400_000,
    delayMs: oneOf(0.2, 1, 5, 20, 60),
    faultRate: isCalm ? 0 : random.fraction() * (bias === 'losing' ? 0.15 : 0.06),
    outageCallsMax: isCalm ? 0 : bias === 'losing' ? 60 : oneOf(0, 0, 60),
    lateMsMax: isCollecting ? oneOf(5_000, 60_000, 110_000) : oneOf(20, 500, 5_000, 20_000),
    pauseRate: isCalm ? 0 : oneOf(0, 0.002, 0.005) + (bias === 'pausing' ? 0.015 : 0),
    pauseMsMax: oneOf(100, 4_000, 8_000, 40_000),
    crashRate: isCalm ? 0 : oneOf(0, 0.001, 0.002) + (bias === 'crashing' ? 0.006 : 0),
    clockJumpRate: oneOf(0, 0.003),
    deleteRate: oneOf(0.05, 0.2, 0.5),
    longValueRate: oneOf(0, 0.1, 0.4),
    guardRate: oneOf(0, 0.1, 0.3),
    keepsOutcomeRate: oneOf(0, 0.3, 1),
    openMsMax: oneOf(0, 1_000, 30_000),
    collectEveryMs: isCollecting ? oneOf(50, 5_000, 20_000) : undefined,
    retention: { retentionMs: oneOf(0, 0, 1_000, 40_000), heldMsMax: oneOf(0, 1_000, 200_000) },
    mix,
    indexBatchRows: 250,
    embedded: CALM_WRITER,
  }
}

const CALM_WRITER: EmbeddedSwarm = {
  commit: 'auto',
  syncMs: 1,
  shownFirstRate: 0,
  groupFailRate: 0,
  commitFailRate: 0,
  stopEveryMs: undefined,
  commitTurnRows: undefined,
  redoLog: { share: 0, memtableCells: 1 },
}

function drawEmbedded(draw: Draw, forced: Kind): DrawnSwarm {
  const { random } = draw
  const oneOf = <T>(...choices: readonly T[]): T => draw.oneOf(...choices)
  const drawn = oneOf<Bias>('none', 'none', ...BIASES.embedded.slice(1))
  const bias = forced.bias ?? drawn
  const mix = draw.mix()
  const commit = oneOf<EmbeddedSwarm['commit']>(
    'one-phase',
    'one-phase',
    'two-phase',
    'auto',
    'changing',
  )
  const isCollecting = bias === 'collecting' || bias === 'interactive'
  const isCalm = bias === 'none' && random.fraction() < 0.2
  const thinkMs = bias === 'interactive' ? oneOf(20, 100, 500) : oneOf(0, 0.1, 1, 10, 50)
  return {
    topology: 'embedded',
    gateways: 1,
    clients: 3 + random.below(10),
    transactions: 120 + random.below(121),
    keys: 3 + random.below(14),
    columns: oneOf(1, 2, 2, 3),
    thinkMs,
    forgetRate: isCollecting ? oneOf(0.02, 0.1, 0.2) : 0,
    forgetMsMax: oneOf(50, 500) * Math.max(thinkMs, 1),
    delayMs: oneOf(0.05, 0.2, 1, 5),
    faultRate: 0,
    outageCallsMax: 0,
    lateMsMax: 0,
    pauseRate: isCalm ? 0 : oneOf(0, 0.01, 0.03),
    pauseMsMax: oneOf(10, 1_000, 4_000),
    crashRate: isCalm ? 0 : oneOf(0, 0.002, 0.01) + (bias === 'crashing' ? 0.03 : 0),
    clockJumpRate: oneOf(0, 0.003),
    deleteRate: oneOf(0.05, 0.2, 0.5),
    longValueRate: oneOf(0, 0.1, 0.4),
    guardRate: oneOf(0, 0.1, 0.3),
    keepsOutcomeRate: oneOf(0.3, 1),
    openMsMax: 0,
    collectEveryMs: isCollecting ? oneOf(3, 20, 100) * Math.max(thinkMs, 1) : undefined,
    retention: { retentionMs: oneOf(0, 0, 1_000), heldMsMax: oneOf(0, 0, 100, 10_000) },
    mix,
    indexBatchRows: 250,
    embedded: {
      commit: forced.commit ?? commit,
      syncMs: bias === 'slowSync' ? oneOf(20, 100, 300) : oneOf(0.1, 1, 5),
      shownFirstRate: oneOf(0, 0.4, 0.4, 1),
      groupFailRate: isCalm ? 0 : oneOf(0, 0.03) + (bias === 'failing' ? 0.1 : 0),
      commitFailRate: isCalm ? 0 : oneOf(0, 0.005) + (bias === 'failing' ? 0.03 : 0),
      stopEveryMs: isCalm ? undefined : oneOf(undefined, undefined, 1_000),
      commitTurnRows: random.fraction() < 0.5 ? 1 + random.below(3) : undefined,
      redoLog: CALM_WRITER.redoLog,
    },
  }
}
