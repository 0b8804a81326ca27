// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Polled, Poller } from './poller.ts'

const VISIBILITY = {
  isHidden: () => document.hidden,
  onChange: (changed: () => void, signal: AbortSignal) =>
    document.addEventListener('visibilitychange', changed, { signal }),
}

const NOTHING: Polled<never> = { value: undefined, error: undefined }

/**
 * What `ask` answered last, asked as long as the view stands and is looked at; `now` asks at once, and so does another
 * `question`, such as the page that is wanted.
 */
export function usePolling<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  everyMs: number,
  question?: unknown,
): Polled<T> & { readonly now: () => void } {
  const [polled, setPolled] = useState<Polled<T>>(NOTHING)
  const newest = useRef(ask)
  newest.current = ask
  const poller = useRef<Poller<T> | undefined>(undefined)
  useEffect(() => {
    const made = new Poller<T>({
      ask: (signal) => newest.current(signal),
      everyMs,
      listener: setPolled,
      visibility: VISIBILITY,
    })
    poller.current = made
    return () => made.end()
  }, [everyMs])
  const requested = useRef(question)
  useEffect(() => {
    if (requested.current === question) return
    requested.current = question
    poller.current?.now()
  }, [question])
  return { ...polled, now: () => poller.current?.now() }
}
