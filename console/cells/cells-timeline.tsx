// SPDX-License-Identifier: Apache-2.0
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Stamp } from '../page/stamp.tsx'
import type { CellHistory } from './cell-history.ts'
import { CellTable } from './cell-table.tsx'
import { Drawing } from './drawing.tsx'
import { sentencesAt } from './sentences.ts'
import { layoutOf, STAMPS_PAGE, type Timeline } from './timeline-layout.ts'
import { useReplay } from './use-replay.ts'
import { type WantedRows, wantedHash } from './wanted-rows.ts'

const LABELS_WIDTH = 76

/** The drawing with its lanes, what replays it, and the same as a table. */
export function CellsTimeline({
  history,
  wanted,
  begin,
}: {
  readonly history: CellHistory
  readonly wanted: WantedRows
  /** The stamp to begin with. */
  readonly begin: string | undefined
}) {
  const [count, setCount] = useState(STAMPS_PAGE)
  const timeline = useMemo(() => layoutOf(history, count), [history, count])
  const { stamps } = history
  const replay = useReplay(stamps, begin)
  const timestamp = stamps[replay.at] as number
  useEffect(() => {
    // So that the address can be sent to somebody; not by a new entry in the history of the browser at each step.
    window.history.replaceState(null, '', wantedHash(wanted, replay.stamp))
  }, [replay.stamp])
  const place = useRef<HTMLElement>(null)
  const { width, columnWidth, stamps: shown } = timeline
  const x = shown.find((one) => one.timestamp === timestamp)?.x
  useEffect(() => {
    const view = place.current
    if (view === null) return
    if (replay.stamp === undefined) view.scrollLeft = width
    else if (x !== undefined) view.scrollLeft = x + columnWidth - view.clientWidth
  }, [x, width, replay.stamp])
  return (
    <>
      <section class="timeline-part" aria-label="Time line">
        <div class="row">
          <button type="button" disabled={replay.at === 0} onClick={replay.back}>
            <span aria-hidden="true">◀ </span>Step back
          </button>
          <button type="button" disabled={replay.at === stamps.length - 1} onClick={replay.forth}>
            Step on<span aria-hidden="true"> ▶</span>
          </button>
          <Play replay={replay} from={timeline.older} />
          <button type="button" disabled={replay.stamp === undefined} onClick={replay.toEnd}>
            Newest
          </button>
          {timeline.older > 0 && (
            <button type="button" onClick={() => setCount(count + STAMPS_PAGE)}>
              Older ({timeline.older})
            </button>
          )}
          <span class="muted">
            Stamp {replay.at + 1} of {stamps.length}: <Stamp micros={timestamp} />
          </span>
        </div>
        <ol class="sentences" aria-live="polite">
          {sentencesAt(history, timestamp).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ol>
        <div class="timeline">
          <svg class="lane-names" width={LABELS_WIDTH} height={timeline.height} aria-hidden="true">
            {timeline.lanes.map(({ family, strand, y, height }) => (
              <text key={`${strand} ${family}`} x={LABELS_WIDTH - 10} y={y + height / 2 + 4}>
                {family}
              </text>
            ))}
          </svg>
          <Drawing history={history} timeline={timeline} timestamp={timestamp} place={place} />
          <StrandNames timeline={timeline} />
        </div>
      </section>
      <CellTable history={history} marks={timeline.boxes.map(({ mark }) => mark)} />
    </>
  )
}

/** They stay where they are while the cells are scrolled below them. */
function StrandNames({ timeline: { titles, height } }: { readonly timeline: Timeline }) {
  return (
    <svg class="strand-names" height={height} aria-hidden="true">
      {titles.map(({ text, y }) => (
        <text key={y} x={8} y={y}>
          {text}
        </text>
      ))}
    </svg>
  )
}

function Play({
  replay,
  from,
}: {
  readonly replay: ReturnType<typeof useReplay>
  readonly from: number
}) {
  // What moves by itself is not for everybody; the steps are.
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return null
  return replay.isPlaying ? (
    <button type="button" onClick={replay.pause}>
      Pause
    </button>
  ) : (
    <button type="button" onClick={() => replay.play(from)}>
      Play
    </button>
  )
}
