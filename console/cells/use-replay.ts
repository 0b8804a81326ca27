// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'preact/hooks'

const STEP_MS = 1_200

/** Where in its stamps a history is shown: `at` is a place among them, the last one at first. */
export function useReplay(stamps: readonly number[], begin: string | undefined) {
  const last = stamps.length - 1
  const [stamp, setStamp] = useState<number | undefined>(
    begin === undefined ? undefined : Number(begin),
  )
  const [isPlaying, setIsPlaying] = useState(false)
  const found = stamp === undefined ? last : stamps.findLastIndex((one) => one <= stamp)
  const at = Math.max(0, found)
  const goTo = (to: number) => setStamp(to >= last ? undefined : stamps[Math.max(0, to)])
  useEffect(() => {
    if (!isPlaying) return
    if (at >= last) {
      setIsPlaying(false)
      return
    }
    const timer = setTimeout(() => goTo(at + 1), STEP_MS)
    return () => clearTimeout(timer)
  })
  return {
    at,
    /** Undefined at the end, which goes along with what is new. */
    stamp,
    isPlaying,
    back: () => goTo(at - 1),
    forth: () => goTo(at + 1),
    toEnd: () => goTo(last),
    /** From the begin `from` where it stands at the end. */
    play: (from: number) => {
      if (at >= last) goTo(from)
      setIsPlaying(true)
    },
    pause: () => setIsPlaying(false),
  }
}
