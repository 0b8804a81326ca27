// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from 'preact/hooks'
import type { AskedStatement } from './observer-statements.ts'

/** Shows what is about to be sent, and asks. */
export function AskFirst({
  asked: { sql, meaning },
  onAnswer,
}: {
  readonly asked: AskedStatement
  readonly onAnswer: (isWanted: boolean) => void
}) {
  const leave = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const before = document.activeElement
    leave.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <div class="asked" role="alertdialog" aria-label="Send this statement?">
      <pre>
        <code>{sql}</code>
      </pre>
      <p>{meaning}</p>
      <p class="row">
        <button type="button" class="first" onClick={() => onAnswer(true)}>
          Send it
        </button>
        <button type="button" ref={leave} onClick={() => onAnswer(false)}>
          Leave it
        </button>
      </p>
    </div>
  )
}
