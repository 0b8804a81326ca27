// SPDX-License-Identifier: Apache-2.0
import { countText } from '../page/stamp-text.ts'
import { type Explanation, planSteps, planTotals } from './plan-steps.ts'

/** A plan as the way of the rows, with what was measured, and the keys that it does not take. */
export function PlanView({ plan }: { readonly plan: Explanation }) {
  const totals = planTotals(plan)
  return (
    <div class="plan">
      <h3>
        {plan.statement} {plan.table}
      </h3>
      {totals !== undefined && (
        <p class="totals">
          {totals.text}
          {totals.used !== undefined && <Used {...totals.used} />}
        </p>
      )}
      <ol class="steps">
        {planSteps(plan).map(({ title, code, note, measured }) => (
          <li key={title}>
            <p>
              <strong>{title}</strong>
              {measured !== undefined && <span class="measured">{measured}</span>}
            </p>
            {note !== undefined && <p class="muted">{note}</p>}
            {code.map((text) => (
              <p key={text}>
                <code>{text}</code>
              </p>
            ))}
          </li>
        ))}
      </ol>
      {plan.rejected.length > 0 && (
        <>
          <h4>Keys that were not taken</h4>
          <dl class="rejected">
            {plan.rejected.map(({ key, reason }) => (
              <div key={key}>
                <dt>
                  <code>{key}</code>
                </dt>
                <dd>{reason}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </div>
  )
}

function Used({
  count,
  of,
  what,
}: {
  readonly count: number
  readonly of: number
  readonly what: string
}) {
  const text = `${countText(count)} of ${countText(of)} ${what} read`
  return (
    <span class="used">
      <meter aria-label={`used ${what}`} min={0} max={of} value={Math.min(count, of)}>
        {text}
      </meter>{' '}
      {text}
    </span>
  )
}
