// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import { Facts } from './facts.tsx'
import { checkFacts } from './store-facts.ts'

type Report = Schemas['ConsistencyReport']
type Checked = { readonly report?: Report; readonly error?: unknown; readonly isBusy: boolean }

/** As long as a large store takes; leaving the view ends it. */
const CHECK_MS = 3_600_000

/** Every cell of the store compared with the invariants, when it is asked for. */
export function CheckSection() {
  const { db } = useConsole()
  const [{ report, error, isBusy }, setChecked] = useState<Checked>({ isBusy: false })
  const running = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const check = async () => {
    running.current = new AbortController()
    const { signal } = running.current
    setChecked({ isBusy: true })
    try {
      const options = { signal, timeoutMs: CHECK_MS }
      const found = await db.request<Report>('GET', '/v1/check', undefined, options)
      setChecked({ report: found, isBusy: false })
    } catch (cause) {
      setChecked(signal.aborted ? { isBusy: false } : { error: cause, isBusy: false })
    }
  }
  return (
    <section>
      <h2>Check</h2>
      <p class="row">
        <button type="button" onClick={check} disabled={isBusy}>
          {isBusy ? 'Checking …' : 'Check the store'}
        </button>
        {isBusy && (
          <button type="button" onClick={() => running.current?.abort()}>
            Stop
          </button>
        )}
        <span class="muted">Reads every cell.</span>
      </p>
      {error !== undefined && <Problem error={error} />}
      {report !== undefined && (
        <div role="status">
          <Facts facts={checkFacts(report)} />
          <ul>
            {report.problems.map(({ rule, message }) => (
              <li key={`${rule} ${message}`}>
                <code>{rule}</code> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}
