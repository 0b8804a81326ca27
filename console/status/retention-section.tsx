// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { Stamp } from '../page/stamp.tsx'
import { Facts } from './facts.tsx'
import { retentionLine } from './retention-line.ts'
import { collectionFacts } from './store-facts.ts'

/** How far back the past can be read, and what the last collection has done. */
export function RetentionSection({ status }: { readonly status: Schemas['Status'] }) {
  const { marks, text } = retentionLine(status)
  const { lastCollection } = status
  return (
    <section>
      <h2>Retention</h2>
      <p>{text}</p>
      <div class="retention" aria-hidden="true">
        {marks.map(({ name, percent }) => (
          <span key={name} class="mark" style={{ left: `${percent}%` }} />
        ))}
      </div>
      <dl class="facts">
        {marks.map(({ name, stamp }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Stamp micros={stamp} />
            </dd>
          </div>
        ))}
      </dl>
      {lastCollection !== undefined && (
        <>
          <h3>Last collection</h3>
          <Facts facts={collectionFacts(lastCollection)} />
        </>
      )}
    </section>
  )
}
