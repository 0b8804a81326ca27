// SPDX-License-Identifier: Apache-2.0
import { useRef } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { Chart } from '../page/chart.tsx'
import { useConsole } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import { bytesText, countText, durationText } from '../page/stamp-text.ts'
import { usePolling } from '../page/use-polling.ts'
import {
  type Activity,
  activityPath,
  chartOf,
  type Figure,
  isKnown,
  withAnswer,
} from './activity.ts'

const EVERY_MS = 2_000

type ActivityChart = {
  readonly figures: readonly Figure[]
  readonly look: Parameters<typeof Chart>[0]['look']
}

const CHARTS: readonly ActivityChart[] = [
  {
    figures: ['requests', 'commits', 'reads'],
    look: {
      label: 'A second',
      lineLabels: ['requests', 'commits', 'reads'],
      format: countText,
    },
  },
  {
    figures: ['p50Ms', 'p99Ms'],
    look: { label: 'Time to answer', lineLabels: ['p50', 'p99'], format: durationText },
  },
  {
    figures: ['conflicts'],
    look: { label: 'Conflicts', lineLabels: ['a second'], format: countText },
  },
  {
    figures: ['changes'],
    look: { label: 'Changes told', lineLabels: ['a second'], format: countText },
  },
  {
    figures: ['feedLagMs'],
    look: { label: 'Feed lag', lineLabels: ['lag'], format: durationText },
  },
  {
    figures: ['logBytes'],
    look: { label: 'Log', lineLabels: ['size'], format: bytesText },
  },
]

/** The last ten minutes, which the server has also when nobody has looked. */
export function ActivitySection() {
  const { db } = useConsole()
  const known = useRef<Activity | undefined>(undefined)
  const { value, error } = usePolling(async (signal) => {
    const path = activityPath(known.current)
    const answer = await db.request<Schemas['Activity']>('GET', path, undefined, { signal })
    known.current = withAnswer(known.current, answer)
    return known.current
  }, EVERY_MS)
  return (
    <section>
      <h2>The last ten minutes</h2>
      {error !== undefined && <Problem error={error} />}
      {value !== undefined && (
        <div class="charts">
          {CHARTS.filter(({ figures: [first] }) => isKnown(value, first as Figure)).map(
            ({ look, figures }) => (
              <Chart key={look.label} look={look} data={chartOf(value, figures)} />
            ),
          )}
        </div>
      )}
    </section>
  )
}
