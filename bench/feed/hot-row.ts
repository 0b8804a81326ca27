// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import { bars, type Contender, type Experiment } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { loadedContender, type Sampling } from '../load/loaded-contender.ts'
import { SharedServer } from '../servers/measured-server.ts'
import type { PercoliteOptions, PercoliteServer } from '../servers/percolite-server.ts'
import type { HotRowSettings } from './hot-row-workload.ts'
import { observerFigures, startWithObservers } from './observer-server.ts'

const MODULE = new URL('./hot-row-workload.ts', import.meta.url).href
const CLIENTS = 16
const LOOK_MS = 10
const OBSERVER = 'fold'

const TABLES = [
  'CREATE TABLE trade (id INTEGER PRIMARY KEY, broker INTEGER)',
  'CREATE TABLE broker (id INTEGER PRIMARY KEY, trades INTEGER)',
  'CREATE TABLE folded (id INTEGER PRIMARY KEY, runs INTEGER)',
  'INSERT INTO broker (id, trades) VALUES (1, 0)',
]

type Kind = HotRowSettings['kind']

/** Many transactions tell an observer of one row: by writing that row, or by hints (paper 2.4). */
export function hotRow(options: PercoliteOptions): Experiment {
  return {
    name: 'hot-row',
    title: `${CLIENTS} clients whose transactions all tell of one row, closed loop`,
    unit: 'transactions',
    contenders: (['strong', 'weak'] as const).map((kind) => contender(kind, options)),
    goals: [
      {
        what: 'transactions that tell of a hot row, weak / strong',
        of: nameOf('weak'),
        to: nameOf('strong'),
        must: 1,
        aim: 3,
      },
    ],
    plots: [
      bars(
        'hot-row',
        'Conflicts of writers, a second',
        'conflicts per second',
        'figures.conflictsPerSecond',
      ),
    ],
    notes: [
      'Each transaction inserts a row of its own and tells of one row that all have: with a strong observer by writing it, with a weak one by NOTIFY. Conflicts are those of the writers, which the server runs again by itself; `runsPerSecond` and `runConflictsPerSecond` are of the observer, and `lagMs` is how long after the last transaction the observer was done.',
    ],
  }
}

const nameOf = (kind: Kind) => `${kind} observer`

function contender(kind: Kind, options: PercoliteOptions): Contender {
  const create = `CREATE ${kind === 'weak' ? 'WEAK ' : ''}OBSERVER ${OBSERVER} ON broker (trades)`
  return loadedContender({
    name: nameOf(kind),
    server: new SharedServer(`hot-row-${kind}`, (folder) =>
      startWithObservers(folder, options, [...TABLES, create]),
    ),
    load: ({ origin }) => ({ module: MODULE, settings: { origin, kind } satisfies HotRowSettings }),
    clients: CLIENTS,
    sample: sampleWithObserver,
  })
}

async function sampleWithObserver({
  server,
  run,
  seconds,
  signal,
}: Sampling<PercoliteServer>): Promise<Sample> {
  const before = await observerFigures(server, OBSERVER)
  const sample = await run(seconds, signal)
  const endedMs = performance.now()
  const after = await observerFigures(server, OBSERVER)
  for (let now = after; now.pending + now.running > 0; ) {
    signal.throwIfAborted()
    await delay(LOOK_MS)
    now = await observerFigures(server, OBSERVER)
  }
  const lagMs = performance.now() - endedMs
  const perSecond = (count: number) => count / sample.seconds
  return {
    ...sample,
    figures: {
      conflictsPerSecond: perSecond(sample.figures?.conflicts ?? 0),
      runsPerSecond: perSecond(after.runs - before.runs),
      runConflictsPerSecond: perSecond(after.conflicts - before.conflicts),
      lagMs,
    },
  }
}
