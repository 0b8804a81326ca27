// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole, useRight } from '../page/console-context.ts'
import { type Head, ListTable } from '../page/lists/list-table.tsx'
import { NeedsRight, Problem } from '../page/problem.tsx'
import { Stamp } from '../page/stamp.tsx'
import { bytesText, countText, durationText } from '../page/stamp-text.ts'
import { usePolling } from '../page/use-polling.ts'
import { listText, SUBSCRIPTION_MODES, SUBSCRIPTION_STATES } from './state-text.ts'

const SUBSCRIPTIONS_EVERY_MS = 2_000

type List = Schemas['SubscriptionList']

const HEADS: readonly Head[] = [
  'client',
  'statement',
  'told',
  'state',
  { number: 'behind' },
  { number: 'changes sent' },
  { number: 'waiting for it' },
  'has everything until',
  'its list, shared by all who have it',
]

/** What is pushed to whom, the furthest behind first. */
export function SubscriptionSection() {
  const isAdmin = useRight('admin')
  return (
    <section class="subscriptions">
      <h2>What is pushed to whom</h2>
      {isAdmin ? <Open /> : <NeedsRight right="admin" what="The subscriptions of others need" />}
    </section>
  )
}

function Open() {
  const { db } = useConsole()
  const { value, error } = usePolling(
    (signal) => db.request<List>('GET', '/v1/subscriptions', undefined, { signal }),
    SUBSCRIPTIONS_EVERY_MS,
  )
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      {value?.total === 0 && <p class="muted">Nobody has subscribed to anything.</p>}
      {value !== undefined && value.subscriptions.length > 0 && (
        <SubscriptionTable subscriptions={value.subscriptions} />
      )}
      {value !== undefined && value.total > value.subscriptions.length && (
        <p class="muted">
          Of {countText(value.total)} these {value.subscriptions.length} are the furthest behind.
        </p>
      )}
    </>
  )
}

function SubscriptionTable({ subscriptions }: Pick<List, 'subscriptions'>) {
  return (
    <ListTable label="What is pushed to whom" heads={HEADS}>
      {subscriptions.map((one, at) => (
        // By their places: they have no names, and one client may have the same twice.
        <SubscriptionRow key={at} {...one} />
      ))}
    </ListTable>
  )
}

function SubscriptionRow({
  client,
  statement,
  mode,
  state,
  position,
  lagMs,
  told,
  unsentBytes,
  result,
}: List['subscriptions'][number]) {
  return (
    <tr>
      <td class="whole">{client}</td>
      <td class="mono statement">{statement}</td>
      <td class="whole">{SUBSCRIPTION_MODES[mode]}</td>
      <td class="whole">{SUBSCRIPTION_STATES[state]}</td>
      <td class="number">{lagMs === undefined ? '' : durationText(lagMs)}</td>
      <td class="number">{countText(told)}</td>
      <td class="number">{unsentBytes === 0 ? '' : bytesText(unsentBytes)}</td>
      <td>{position === undefined ? 'reads its snapshot' : <Stamp micros={position} />}</td>
      <td>{result !== undefined && listText(result)}</td>
    </tr>
  )
}
