// SPDX-License-Identifier: Apache-2.0
import { useEffect, useReducer, useRef } from 'preact/hooks'
import type { Database } from '../../client-sdk/client.ts'
import { LiveWatch } from './live-watch.ts'

/** The rate falls to nothing when nothing comes. */
const TICK_MS = 1_000

/** Watches the statement, and draws what it tells at most once for each picture of the screen. */
export function useLive(db: Database) {
  const [, draw] = useReducer((count: number) => count + 1, 0)
  const watch = useRef<LiveWatch | undefined>(undefined)
  const frame = useRef<number | undefined>(undefined)
  const drawSoon = () => {
    frame.current ??= requestAnimationFrame(() => {
      frame.current = undefined
      draw(undefined)
    })
  }
  const stop = () => {
    watch.current?.end()
    watch.current = undefined
    drawSoon()
  }
  useEffect(() => {
    const ending = new AbortController()
    const looked = () => watch.current?.hide(document.hidden)
    document.addEventListener('visibilitychange', looked, { signal: ending.signal })
    const ticking = setInterval(drawSoon, TICK_MS)
    return () => {
      ending.abort()
      clearInterval(ticking)
      watch.current?.end()
      if (frame.current !== undefined) cancelAnimationFrame(frame.current)
    }
  }, [])
  return {
    watch: watch.current,
    start: (sql: string) => {
      stop()
      watch.current = new LiveWatch(db, sql, document.hidden, drawSoon)
    },
    stop,
  }
}
