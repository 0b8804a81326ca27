// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { hashOf } from '../page/address.ts'
import { useConsole } from '../page/console-context.ts'
import { type Head, ListTable } from '../page/lists/list-table.tsx'
import { Problem } from '../page/problem.tsx'
import { countText, durationText, stampText } from '../page/stamp-text.ts'
import { usePolling } from '../page/use-polling.ts'
import {
  accessText,
  errorsText,
  explainOf,
  meanMs,
  ORDERS,
  type Order,
} from './statement-shapes.ts'

const STATEMENTS_EVERY_MS = 4_000
const SHOWN_SHAPES = 20

type Shape = Schemas['ShapeStatistics']
type Statistics = Schemas['StatementStatistics']

const HEADS: readonly Head[] = [
  'statement',
  'found by',
  ...['runs', 'failed', 'total', 'mean', 'p99', 'slowest', 'rows', 'written'].map((number) => ({
    number,
  })),
  { unseen: 'actions' },
]

/** What statements come to, by their shapes. */
export function StatementsSection({ isCounting }: { readonly isCounting: boolean }) {
  return (
    <section>
      <h2>Statements</h2>
      {isCounting ? (
        <Counted />
      ) : (
        <p class="muted">
          Statements are not counted: the server was started with{' '}
          <code>--statement-statistics off</code>.
        </p>
      )}
    </section>
  )
}

function Counted() {
  const { db } = useConsole()
  const [order, setOrder] = useState<Order>('time')
  const path = `/v1/statements?order=${order}&limit=${SHOWN_SHAPES}`
  const { value, error } = usePolling(
    (signal) => db.request<Statistics>('GET', path, undefined, { signal }),
    STATEMENTS_EVERY_MS,
    order,
  )
  return (
    <>
      <p class="row">
        <label for="statements-order">First those with the</label>
        <select
          id="statements-order"
          value={order}
          onChange={({ currentTarget }) => setOrder(currentTarget.value as Order)}
        >
          {ORDERS.map((one) => (
            <option key={one.order} value={one.order}>
              {one.words}
            </option>
          ))}
        </select>
        {value !== undefined && <span class="muted">{sinceText(value)}</span>}
      </p>
      {error !== undefined && <Problem error={error} />}
      {value !== undefined && value.total > 0 && <ShapeTable statements={value.statements} />}
    </>
  )
}

function sinceText({ since, total, forgotten, statements }: Statistics): string {
  const from = `since ${stampText(Date.parse(since) * 1_000).slice(0, 19)}`
  if (total === 0) return `None has run ${from}.`
  const shown = total > statements.length ? `${statements.length} of ${countText(total)}` : total
  const given = forgotten === 0 ? '' : `, ${countText(forgotten)} gave way to others`
  return `${shown} ${total === 1 ? 'shape' : 'shapes'} ${from}${given}.`
}

function ShapeTable({ statements }: { readonly statements: Statistics['statements'] }) {
  return (
    <ListTable label="Statements" heads={HEADS}>
      {statements.map((shape) => {
        const { statement, count, totalMs, p99Ms, maxMs, rowsReturned, rowsWritten } = shape
        return (
          <tr key={statement}>
            <td class="mono statement">{statement}</td>
            <td>{accessText(shape)}</td>
            <td class="number">{countText(count)}</td>
            <Failed errors={shape.errors} />
            {[totalMs, meanMs(shape), p99Ms, maxMs].map((ms, at) => (
              <td key={HEADS[at + 4]} class="number">
                {durationText(ms)}
              </td>
            ))}
            <td class="number">{countText(rowsReturned)}</td>
            <td class="number">{countText(rowsWritten)}</td>
            <td class="whole">
              <PlanLink statement={statement} />
            </td>
          </tr>
        )
      })}
    </ListTable>
  )
}

/** How many runs failed, and to whom points at it or cannot see it, by which errors. */
function Failed({ errors }: Pick<Shape, 'errors'>) {
  const text = errorsText(errors)
  return (
    <td class="number" title={text}>
      {countText(Object.values(errors).reduce((sum, runs) => sum + runs, 0))}
      {text !== '' && <span class="unseen">: {text}</span>}
    </td>
  )
}

/** To its plan, where one can be asked for: what a shape left out stands there as parameters. */
function PlanLink({ statement }: { readonly statement: string }) {
  const sql = explainOf(statement)
  if (sql === undefined) return null
  return (
    <a href={hashOf({ view: 'query', query: { sql } })} aria-label={`Plan of ${statement}`}>
      plan
    </a>
  )
}
