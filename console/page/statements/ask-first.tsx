// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from 'preact/hooks'

/** Shows what is about to be sent, and asks. The focus stands on what does nothing, and then where it was. */
export function AskFirst({
  label,
  sent,
  meaning,
  yes = 'Send it',
  onAnswer,
}: {
  readonly label: string
  /** A statement, or a request. */
  readonly sent: string
  readonly meaning: string
  readonly yes?: string
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
    <div class="asked" role="alertdialog" aria-label={label}>
      <pre>
        <code>{sent}</code>
      </pre>
      <p>{meaning}</p>
      <p class="row">
        <button type="button" class="first" onClick={() => onAnswer(true)}>
          {yes}
        </button>
        <button type="button" ref={leave} onClick={() => onAnswer(false)}>
          Leave it
        </button>
      </p>
    </div>
  )
}
