// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import { Grid } from '../page/grid.tsx'
import { Stamp } from '../page/stamp.tsx'
import { countText, durationText } from '../page/stamp-text.ts'
import { PlanView } from './plan-view.tsx'
import type { Answer, ShownResult } from './query-run.ts'
import { rowsAsJson } from './result-text.ts'

type Form = 'grid' | 'json'

/** What was answered: its stamps, and the result of each statement. */
export function AnswerView({
  answer,
  isBusy,
  onMore,
  onCsv,
}: {
  readonly answer: Answer
  readonly isBusy: boolean
  readonly onMore: () => void
  /** Absent where the rows cannot be read again. */
  readonly onCsv: (() => void) | undefined
}) {
  const [form, setForm] = useState<Form>('grid')
  const { results, hasMore } = answer
  const hasRows = results.some(({ columns, plan }) => columns.length > 0 && plan === undefined)
  return (
    <section class="answer" aria-label="Answer">
      <div class="answer-head">
        <AnswerFacts answer={answer} />
        {hasRows && (
          <div class="row">
            <label>
              Shown as{' '}
              <select
                value={form}
                onChange={({ currentTarget }) => setForm(currentTarget.value as Form)}
              >
                <option value="grid">grid</option>
                <option value="json">JSON</option>
              </select>
            </label>
            {results.length === 1 && onCsv !== undefined && (
              <button type="button" onClick={onCsv}>
                Download CSV
              </button>
            )}
          </div>
        )}
      </div>
      {results.map((result, at) => (
        <ResultView
          key={at}
          caption={results.length === 1 ? 'Rows' : `Rows of statement ${at + 1}`}
          result={result}
          form={form}
          hasMore={hasMore}
          isBusy={isBusy}
          onMore={onMore}
        />
      ))}
    </section>
  )
}

function AnswerFacts({ answer }: { readonly answer: Answer }) {
  const { readTimestamp, commitTimestamp, attempts, ms } = answer
  return (
    <dl class="answer-facts">
      <div>
        <dt>{readTimestamp === undefined ? 'script' : 'read at'}</dt>
        <dd>
          {readTimestamp === undefined ? (
            'each part is committed alone'
          ) : (
            <Stamp micros={readTimestamp} />
          )}
        </dd>
      </div>
      {commitTimestamp !== undefined && (
        <div>
          <dt>committed at</dt>
          <dd>
            <Stamp micros={commitTimestamp} />
          </dd>
        </div>
      )}
      {attempts !== undefined && (
        <div>
          <dt>attempts</dt>
          <dd>{attempts}</dd>
        </div>
      )}
      <div>
        <dt>time</dt>
        <dd>{durationText(ms)}</dd>
      </div>
    </dl>
  )
}

function ResultView({
  result,
  caption,
  form,
  ...more
}: {
  readonly result: ShownResult
  readonly caption: string
  readonly form: Form
  readonly hasMore: boolean
  readonly isBusy: boolean
  readonly onMore: () => void
}) {
  const { columns, window, rowsAffected, unmet, hint, plan } = result
  if (plan !== undefined) return <PlanView plan={plan} />
  if (columns.length === 0) {
    const rows = rowsAffected === 1 ? 'row' : 'rows'
    return (
      <p class="notice" role="status">
        {unmet === undefined
          ? `Done: ${countText(rowsAffected)} ${rows} affected.`
          : `Nothing was written: ${UNMET[unmet] ?? unmet}.`}
        {hint !== undefined && ` Hint: ${hint}.`}
      </p>
    )
  }
  if (form === 'grid') return <Grid caption={caption} columns={columns} window={window} {...more} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <pre class="json scroll" tabIndex={0}>
      {rowsAsJson(columns, window.rows)}
    </pre>
  )
}

const UNMET: Readonly<Record<string, string>> = {
  missing: 'there is no row',
  exists: 'there is one already',
  condition: 'the condition is not true of the row',
}
