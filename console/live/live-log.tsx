// SPDX-License-Identifier: Apache-2.0
import { Component } from 'preact'
import { Scroll } from '../page/lists/scroll.tsx'
import { localText, stampText } from '../page/stamp-text.ts'
import type { LogLine } from './live-feed.ts'

/** What has come, the newest first. A reader of the screen is told of it while little comes. */
export function LiveLog({
  lines,
  isCalm,
}: {
  readonly lines: readonly LogLine[]
  readonly isCalm: boolean
}) {
  return (
    <section class="live-half">
      <h3>Changes, the newest first</h3>
      <Scroll label="Changes">
        <div role="log" aria-live={isCalm ? 'polite' : 'off'} aria-label="Newest changes">
          <ol class="log">
            {lines.map((line) => (
              <Line key={line.id} line={line} />
            ))}
          </ol>
        </div>
      </Scroll>
    </section>
  )
}

/** A line stays what it is, but for one that counts. */
class Line extends Component<{ readonly line: LogLine }> {
  override shouldComponentUpdate({ line }: { readonly line: LogLine }): boolean {
    return line !== this.props.line
  }

  override render({ line }: { readonly line: LogLine }) {
    if (line.kind !== 'change') return <li class={`log-${line.kind}`}>{line.text}</li>
    const { stamp, op, key, values } = line
    return (
      <li>
        <time title={localText(stamp)}>{stampText(stamp).slice(11)}</time>
        <span class={`op op-${op}`}>{op}</span>
        <strong class="mono">{key}</strong>
        {values.map(({ column, from, to }) => (
          <span key={column} class="log-value">
            {column} {from !== undefined && <span class="muted">{from} → </span>}
            {to}
          </span>
        ))}
      </li>
    )
  }
}
