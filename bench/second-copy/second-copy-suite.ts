// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { Experiment, Suite } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { DATA_NOTE, ROWS_OPTION, rowsOf } from '../load/data.ts'
import type { HttpSettings } from '../load/http-workload.ts'
import { loadedContender, type Sampling } from '../load/loaded-contender.ts'
import { SharedServer } from '../servers/measured-server.ts'
import { PERCOLITE_OPTIONS, type PercoliteOptions } from '../servers/percolite-server.ts'
import {
  appliedBytes,
  type Committed,
  type Mode,
  type Pair,
  seenAtStandby,
  startPair,
} from './pair.ts'

const CLIENTS = 64
const MODULE = new URL('../load/http-workload.ts', import.meta.url).href
const MODES: readonly Mode[] = ['none', 'preferred', 'required']
/** Milliseconds between two commits of which it is watched when the standby has them. */
const PROBE_MS = 20

/** What the second copy of a write costs, and how far a standby is behind. */
export const secondCopySuite: Suite = {
  title: 'a standby, and writes that wait for it',
  defaults: { seconds: 4, repetitions: 5 },
  options: { rows: ROWS_OPTION, ...PERCOLITE_OPTIONS },
  experiments: (options) => [writes(options)],
  notes: [
    DATA_NOTE,
    'Each contender is a pair: a primary and a standby that follows it, both durable, with their clients on one machine. In all of them each write comes to the standby; what differs is what its client waits for.',
    `standbyDelayP99Ms is how long after the answer to a commit a read of the standby has it, of one commit each ${PROBE_MS} ms beside the others.`,
  ],
}

function writes(options: PercoliteOptions): Experiment {
  return {
    name: 'writes',
    title: `SETs of one row by ${CLIENTS} clients`,
    unit: 'commits',
    warmUpSeconds: 4,
    contenders: MODES.map((mode) =>
      loadedContender({
        name: mode,
        server: new SharedServer(mode, (folder) => startPair(folder, mode, options)),
        load: ({ origin, token }) => ({
          module: MODULE,
          settings: { origin, request: 'set', rows: rowsOf(options), token } satisfies HttpSettings,
        }),
        clients: CLIENTS,
        sample: probed,
      }),
    ),
    goals: [
      { what: 'preferred / none', of: 'preferred', to: 'none' },
      { what: 'required / none', of: 'required', to: 'none' },
    ],
  }
}

async function probed({ server, seconds, signal, run }: Sampling<Pair>): Promise<Sample> {
  const { standby, token } = server
  const before = await appliedBytes(standby, token)
  const ended = new AbortController()
  const probing = delaysOf(server, ended.signal)
  const sample = await run(seconds, signal).finally(() => ended.abort())
  const delays = (await probing).toSorted((a, b) => a - b)
  const bytes = (await appliedBytes(standby, token)) - before
  const figures = {
    ...sample.figures,
    bytesPerCommit: bytes / (sample.operations + delays.length),
    standbyDelayP50Ms: delays[Math.floor(delays.length * 0.5)] ?? 0,
    standbyDelayP99Ms: delays[Math.floor(delays.length * 0.99)] ?? 0,
  }
  return { ...sample, figures }
}

/** In milliseconds, from the answer to a commit on. */
async function delaysOf(server: Pair, signal: AbortSignal): Promise<number[]> {
  const { standby, token } = server
  const sql = 'SET balance = :balance ON account WHERE id = :id'
  const delays: number[] = []
  for (let balance = 1; !signal.aborted; balance += 1) {
    const params = { balance, id: 'acct00000000' }
    const { commitTimestamp } = (await server.query({ sql, params }, token)) as Committed
    const answeredMs = performance.now()
    await seenAtStandby(standby, token, commitTimestamp)
    delays.push(performance.now() - answeredMs)
    await delay(PROBE_MS)
  }
  return delays
}
