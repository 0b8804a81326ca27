// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole, useRight } from '../page/console-context.ts'
import { isoOf } from '../page/stamp-text.ts'
import { type Retention, retentionOf, STEPS, stampAt, stepOf } from './as-of.ts'

/** The moment that statements read: the present, or one of the past by a slider or as a text. */
export function AsOfField({
  asOf,
  onChange,
}: {
  /** A stamp, or what was typed. */
  readonly asOf: number | string | undefined
  readonly onChange: (asOf: number | string | undefined) => void
}) {
  const { db } = useConsole()
  const mayInspect = useRight('inspect')
  const [retention, setRetention] = useState<Retention>()
  useEffect(() => {
    if (!mayInspect) return
    const leaving = new AbortController()
    const { signal } = leaving
    db.request<Schemas['Status']>('GET', '/v1/status', undefined, { signal }).then(
      (status) => setRetention(retentionOf(status)),
      // Without it there is no slider.
      () => undefined,
    )
    return () => leaving.abort()
  }, [db, mayInspect])
  const stamp = typeof asOf === 'number' ? asOf : undefined
  const text = stamp === undefined ? ((asOf as string | undefined) ?? '') : isoOf(stamp)
  return (
    <fieldset class="as-of">
      <legend>Read as of</legend>
      {retention !== undefined && (
        <input
          type="range"
          min={0}
          max={STEPS}
          aria-label="Moment within the retention"
          aria-valuetext={text === '' ? 'now' : text}
          value={stepOf(retention, stamp)}
          onInput={({ currentTarget }) => onChange(stampAt(retention, Number(currentTarget.value)))}
        />
      )}
      <input
        type="text"
        class="mono"
        aria-label="Moment"
        placeholder="now"
        value={text}
        onInput={({ currentTarget }) => onChange(currentTarget.value.trim() || undefined)}
      />
      <button type="button" disabled={asOf === undefined} onClick={() => onChange(undefined)}>
        Now
      </button>
    </fieldset>
  )
}
