// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole, useRight } from '../page/console-context.ts'
import { Scroll } from '../page/lists/scroll.tsx'
import { Problem } from '../page/problem.tsx'
import { killable, type Step, stepWords } from './stepped-rows.ts'
import type { StepsState } from './use-steps.ts'

/** The log of the steps, and what kills their owner where the server lets people watch. */
export function LiveSteps({
  state: { steps, isPartial, error },
  isSlowed,
  label,
}: {
  readonly state: StepsState
  /** Whether commits wait after each of their steps. */
  readonly isSlowed: boolean
  /** Names stamps, as on the drawing. */
  readonly label: (timestamp: number) => string
}) {
  const isAdmin = useRight('admin')
  const [newest] = steps
  return (
    <section class="live-steps" aria-label="Steps">
      {error !== undefined && <Problem error={error} />}
      {isPartial && (
        <p class="muted">Servers share this store: only the steps of the one that is asked come.</p>
      )}
      {isSlowed && isAdmin && <Kill step={newest} label={label} />}
      <Scroll label="Steps as they come">
        <div role="log" aria-label="Steps, the newest first">
          <ol class="step-log">
            {steps.length === 0 && <li class="muted">Nothing has changed these rows yet.</li>}
            {steps.map((step) => (
              <li key={step}>
                <span class="muted mono">{step.at.slice(11, 23)}</span> {stepWords(step, label)}
              </li>
            ))}
          </ol>
        </div>
      </Scroll>
    </section>
  )
}

type Told = {
  /** The transaction that stands still. */
  readonly killed?: number
  readonly text?: string
  readonly error?: unknown
}

function Kill({
  step,
  label,
}: {
  readonly step: Step | undefined
  readonly label: (timestamp: number) => string
}) {
  const { db } = useConsole()
  const [listener, setTold] = useState<Told>({})
  const owner = step === undefined ? undefined : killable(step)
  const transaction = owner === listener.killed ? undefined : owner
  const kill = async () => {
    try {
      const path = `/v1/transactions/${transaction}/kill`
      const stopped = await db.request<Schemas['StoppedCommit']>('POST', path)
      const place = (stopped.key ?? []).map(String).join(', ')
      const after = stopped.step === undefined ? '' : ` after ${stopped.step} of ${place}`
      const text = `T${label(stopped.transaction)} stands still${after}. Read the rows to see what a reader does about it.`
      setTold({ killed: stopped.transaction, text })
    } catch (error) {
      setTold({ error })
    }
  }
  return (
    <div class="row">
      <button type="button" class="danger" disabled={transaction === undefined} onClick={kill}>
        {transaction === undefined ? 'Kill the owner' : `Kill the owner of T${label(transaction)}`}
      </button>
      {listener.text !== undefined && <span role="status">{listener.text}</span>}
      {listener.error !== undefined && <Problem error={listener.error} />}
    </div>
  )
}
