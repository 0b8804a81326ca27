// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Scroll } from '../page/lists/scroll.tsx'
import { localText, stampText } from '../page/stamp-text.ts'
import type { CellHistory, Mark } from './cell-history.ts'
import { type Box, markAfter, type Timeline } from './timeline-layout.ts'

/** The boxes and curves; the arrows walk from box to box, and the one that is looked at marks its transaction. */
export function Drawing({
  history,
  timeline,
  timestamp,
  place,
}: {
  readonly history: CellHistory
  readonly timeline: Timeline
  /** As of which stamp. */
  readonly timestamp: number
  readonly place: RefObject<HTMLElement | null>
}) {
  const [looked, setLooked] = useState<string>()
  const drawn = useRef<SVGSVGElement>(null)
  const { boxes, lanes, curves, stamps, width, height, columnWidth } = timeline
  const shown = boxes.filter(({ mark }) => mark.from <= timestamp)
  const own = shown.find(({ mark }) => mark.id === looked)?.mark
  const first = own?.id ?? newestOf(shown)?.mark.id
  const walk = (event: KeyboardEvent) => {
    // From the one that has the focus: a key may come before the one before it is shown.
    const { mark } = (document.activeElement as SVGElement).dataset
    const to = markAfter(event.key, { ...timeline, boxes: shown }, mark ?? '')
    if (to === undefined) return
    event.preventDefault()
    for (const one of drawn.current?.querySelectorAll<SVGElement>('[data-mark]') ?? []) {
      if (one.dataset.mark === to) one.focus()
    }
  }
  const isOwn = (transaction: number | undefined) =>
    own?.transaction !== undefined && own.transaction === transaction
  const visible = new Set(shown.map(({ mark }) => mark.id))
  return (
    <Scroll label="Cells on the line of stamps" className="drawn" place={place}>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no fieldset. */}
      <svg
        ref={drawn}
        width={width}
        height={height}
        role="group"
        aria-label="Cells; the arrows walk from one to another"
        onKeyDown={walk}
      >
        {stamps.map(({ timestamp: one, x }) => (
          <g key={one} class={one === timestamp ? 'axis now' : 'axis'}>
            <rect x={x - columnWidth / 2} y={0} width={columnWidth} height={height} />
            <text class="stamp" x={x} y={18}>
              <title>{`${stampText(one)} UTC · ${localText(one)}`}</title>
              {history.label(one)}
            </text>
            <text class="time" x={x} y={34}>
              {stampText(one).slice(11, 19)}
            </text>
          </g>
        ))}
        {lanes.map(({ family, strand, y, height: high }) => (
          <line
            key={`${strand} ${family}`}
            class="lane"
            x1={0}
            x2={width}
            y1={y + high}
            y2={y + high}
          />
        ))}
        {curves
          .filter(({ id }) => visible.has(id))
          .map(({ id, path, transaction }) => (
            <path key={id} class={isOwn(transaction) ? 'curve own' : 'curve'} d={path} />
          ))}
        {shown.map((box) => (
          <MarkBox
            key={box.mark.id}
            box={box}
            name={history.strands[box.mark.strand]?.name ?? ''}
            isGone={box.mark.until !== undefined && box.mark.until <= timestamp}
            isOwn={isOwn(box.mark.transaction)}
            isFirst={box.mark.id === first}
            onLook={() => setLooked(box.mark.id)}
          />
        ))}
      </svg>
    </Scroll>
  )
}

function newestOf(boxes: readonly Box[]): Box | undefined {
  return boxes.toSorted((one, other) => other.mark.timestamp - one.mark.timestamp)[0]
}

function MarkBox({
  box: { mark, x, y, width, height },
  name,
  isGone,
  isOwn,
  isFirst,
  onLook,
}: {
  readonly box: Box
  readonly name: string
  /** A lock whose transaction had committed by then. */
  readonly isGone: boolean
  readonly isOwn: boolean
  /** The one that Tab leads to. */
  readonly isFirst: boolean
  readonly onLook: () => void
}) {
  const { id, family, lines, words } = mark
  const middle = y + height / 2
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: the arrows walk what is no control.
    <g
      class={`mark ${family} ${lookOf(mark, isGone)}${isOwn ? ' own' : ''}`}
      data-mark={id}
      role="img"
      aria-label={`${name}, ${family}. ${words}`}
      tabIndex={isFirst ? 0 : -1}
      onFocus={onLook}
    >
      <title>{words}</title>
      <rect x={x} y={y} width={width} height={height} rx={4} />
      {lines.map((line, at) => (
        <text
          key={line}
          class={at === 0 ? 'line' : 'line second'}
          x={x + 8}
          y={middle + 4 + (at - (lines.length - 1) / 2) * 15}
        >
          {line}
        </text>
      ))}
    </g>
  )
}

function lookOf({ look }: Mark, isGone: boolean): string {
  return look === 'supposed' ? `supposed${isGone ? ' gone' : ''}` : look
}
