// SPDX-License-Identifier: Apache-2.0
import { useRef } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { hashOf } from '../page/address.ts'
import { useConsole, useRight } from '../page/console-context.ts'
import { type Head, ListTable } from '../page/lists/list-table.tsx'
import { Problem } from '../page/problem.tsx'
import { durationText } from '../page/stamp-text.ts'
import { usePolling } from '../page/use-polling.ts'
import type { ViewProps } from '../page/view-props.ts'
import { ObserverDetail } from './observer-detail.tsx'
import { type ObserverSamples, rateOf, sampled } from './observer-samples.ts'
import { circleText, countedText, rateText, stateOf } from './observer-words.ts'
import { RelaysSection } from './relays-section.tsx'

type Status = Schemas['ObserverStatus']

const LOOK_EVERY_MS = 2_000
const NONE: ObserverSamples = new Map()

/** How the observers are doing, and one of them in full. */
export function ObserversView({ address }: ViewProps) {
  const { db } = useConsole()
  const mayAdminister = useRight('admin')
  const samples = useRef<ObserverSamples>(NONE)
  const { value, error, now } = usePolling(async (signal) => {
    const list = await db.request<Schemas['ObserverList']>('GET', '/v1/observers', undefined, {
      signal,
    })
    samples.current = sampled(samples.current, list.observers, Date.now())
    return list
  }, LOOK_EVERY_MS)
  if (value === undefined) {
    return error === undefined ? <p class="notice">Asking …</p> : <Problem error={error} />
  }
  const { observers } = value
  const [wanted] = address.parts
  const chosen = observers.find(({ observer }) => observer === wanted)
  return (
    <div class="observers">
      <h2 class="unseen">Observers</h2>
      {error !== undefined && <Problem error={error} />}
      {observers.length === 0 ? (
        <p class="notice">There is no observer. CREATE OBSERVER makes one.</p>
      ) : (
        <ObserverTable observers={observers} samples={samples.current} chosen={chosen?.observer} />
      )}
      {wanted !== undefined && chosen === undefined && (
        <p class="notice">There is no observer {wanted}.</p>
      )}
      {chosen !== undefined && (
        <ObserverDetail
          key={chosen.observer}
          status={chosen}
          samples={samples.current.get(chosen.observer) ?? []}
          onSent={now}
        />
      )}
      {mayAdminister && <RelaysSection />}
    </div>
  )
}

const OBSERVER_HEADS: readonly Head[] = [
  'observer',
  'of',
  'state',
  { number: 'pending' },
  { number: 'lag' },
  { number: 'runs a second' },
  { number: 'failures a second' },
  { number: 'dead letters' },
  'circle',
]

function ObserverTable({
  observers,
  samples,
  chosen,
}: {
  readonly observers: readonly Status[]
  readonly samples: ObserverSamples
  readonly chosen: string | undefined
}) {
  return (
    <ListTable label="Observers" heads={OBSERVER_HEADS}>
      {observers.map((status) => (
        <ObserverRow
          key={status.observer}
          status={status}
          samples={samples}
          isChosen={status.observer === chosen}
        />
      ))}
    </ListTable>
  )
}

function ObserverRow({
  status,
  samples,
  isChosen,
}: {
  readonly status: Status
  readonly samples: ObserverSamples
  readonly isChosen: boolean
}) {
  const { observer, table, weak, pending, lagMs, deadLetters } = status
  const { text, isBad } = stateOf(status)
  const seen = samples.get(observer)
  return (
    <tr class={isChosen ? 'chosen' : undefined}>
      <td>
        <a
          href={hashOf({ view: 'observers', parts: [observer] })}
          aria-current={isChosen ? 'true' : undefined}
        >
          {observer}
        </a>
        {weak && <span class="muted"> weak</span>}
      </td>
      <td>{table}</td>
      <td class={isBad ? 'bad' : undefined}>{text}</td>
      <td class="number">{countedText(pending)}</td>
      <td class="number">{durationText(lagMs)}</td>
      <td class="number">{rateText(rateOf(seen, 'runs'))}</td>
      <td class="number">{rateText(rateOf(seen, 'failures'))}</td>
      <td class={deadLetters.count > 0 ? 'number bad' : 'number'}>
        {countedText(deadLetters.count)}
      </td>
      <td>{circleText(status) ?? <span class="muted">none</span>}</td>
    </tr>
  )
}
