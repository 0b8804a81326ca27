// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from 'preact/hooks'
import type { ChartCanvas, ChartColours, ChartData, ChartLook } from './chart-canvas.ts'

/**
 * Lines over time, with the newest values as words beside their colours. The drawing is hidden from screen readers,
 * which have these words.
 */
export function Chart({ look, data }: { readonly look: ChartLook; readonly data: ChartData }) {
  const place = useRef<HTMLDivElement>(null)
  const legend = useRef<HTMLUListElement>(null)
  const canvas = useRef<ChartCanvas | undefined>(undefined)
  const newest = useRef(data)
  newest.current = data
  canvas.current?.show(data)
  useEffect(() => {
    const ending = new AbortController()
    const colours = () => coloursOf(legend.current as HTMLElement)
    void import('./chart-canvas.ts').then((drawing) => {
      const parent = place.current
      if (ending.signal.aborted || parent === null) return
      const drawn = new drawing.ChartCanvas(parent, look, newest.current, colours())
      canvas.current = drawn
      const watching = new ResizeObserver(() => drawn.resize(parent.clientWidth))
      watching.observe(parent)
      const recolour = () => drawn.recolour(colours())
      const scheme = matchMedia('(prefers-color-scheme: dark)')
      scheme.addEventListener('change', recolour, { signal: ending.signal })
      ending.signal.addEventListener('abort', () => {
        watching.disconnect()
        drawn.end()
      })
    })
    return () => {
      ending.abort()
      canvas.current = undefined
    }
  }, [look])
  return (
    <figure class="chart">
      <figcaption>
        <h3>{look.label}</h3>
        <ul class="legend" ref={legend}>
          {look.lineLabels.map((label, at) => (
            <li key={label}>
              <span class={`swatch line-${at + 1}`} aria-hidden="true" />
              {label} <strong>{newestText(data.lines[at], look)}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="drawing" ref={place} aria-hidden="true" />
    </figure>
  )
}

function newestText(line: ChartData['lines'][number] | undefined, { format }: ChartLook): string {
  const value = line?.findLast((one) => one !== null)
  return value === undefined || value === null ? 'none yet' : format(value)
}

function coloursOf(legend: HTMLElement): ChartColours {
  const own = getComputedStyle(legend)
  const swatches = [...legend.querySelectorAll('.swatch')]
  return {
    lines: swatches.map((swatch) => getComputedStyle(swatch).color),
    ink: own.color,
    rule: own.outlineColor,
  }
}
