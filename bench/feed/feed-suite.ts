// SPDX-License-Identifier: Apache-2.0
import { type Experiment, type Suite, UsageError } from '../harness/experiment.ts'
import { PERCOLITE_OPTIONS } from '../servers/percolite-server.ts'
import { hotRow } from './hot-row.ts'
import { idleResults, liveResults } from './live-results.ts'
import { observerThroughput } from './observer-throughput.ts'
import { fanOut, frameLatency, slowReader } from './subscriptions.ts'

/** Of a minute, after which the server closes who reads nothing, something has to be left. */
const SLOW_SECONDS_MAX = 55

/** What it takes until a commit is known, to subscribers and to observers. */
export const feedSuite: Suite = {
  title: 'Changes pushed: subscribers and observers',
  defaults: { seconds: 5, repetitions: 5 },
  options: {
    'slow-seconds': { default: '20', help: 'how long the slow reader does not read, up to 55' },
    ...PERCOLITE_OPTIONS,
  },
  experiments: (options): readonly Experiment[] => [
    frameLatency(options),
    fanOut(options),
    slowReader(options, slowSecondsOf(options)),
    liveResults(options),
    idleResults(options),
    hotRow(options),
    observerThroughput(options),
  ],
  notes: [
    'The server is a process of its own; writers and subscribers are another one, whose subscribers look at frames without decoding them. Both share the cores of one machine.',
  ],
}

function slowSecondsOf(options: Readonly<Record<string, string>>): number {
  const seconds = Number(options['slow-seconds'] ?? 20)
  if (seconds > 0 && seconds <= SLOW_SECONDS_MAX) return seconds
  throw new UsageError(`--slow-seconds: it is a number up to ${SLOW_SECONDS_MAX}.`)
}
