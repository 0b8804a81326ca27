// SPDX-License-Identifier: Apache-2.0
import { useEffect } from 'preact/hooks'
import { useConsole } from './console-context.ts'
import { needsToken, problemFacts } from './problem-facts.ts'

/** An error with its code, its place and its remedy. One about the token brings its prompt back. */
export function Problem({
  error,
  at,
  onInsert,
}: {
  readonly error: unknown
  /** Where it is in the text that the reader sees, which may have more than what was sent. */
  readonly at?: string | undefined
  /** Takes the statement that the server suggests, where there is somewhere to put it. */
  readonly onInsert?: ((statement: string) => void) | undefined
}) {
  const { askForToken } = useConsole()
  useEffect(() => {
    if (needsToken(error)) askForToken(error)
  }, [error, askForToken])
  const { code, message, hint, suggestion, done, mayRunAgain, ...facts } = problemFacts(error)
  const place = at ?? facts.place
  return (
    <div class="problem" role="alert">
      <p>
        {code !== undefined && <code class="code">{code}</code>}
        {place !== undefined && <span class="muted">{place}</span>}
      </p>
      <p class="message">{message}</p>
      {done !== undefined && <p class="muted">{done}</p>}
      {hint !== undefined && <p class="hint">{hint}</p>}
      {suggestion !== undefined && onInsert !== undefined && (
        <p>
          <button type="button" onClick={() => onInsert(suggestion)}>
            Insert the suggested statement
          </button>
        </p>
      )}
      {mayRunAgain && <p class="muted">Running it again may succeed.</p>}
    </div>
  )
}

/** What is said instead of a view that this principal may not see. */
export function NeedsRight({
  right,
  what = 'This needs',
}: {
  readonly right: string
  /** What needs it, where it is not the view, with its verb. */
  readonly what?: string
}) {
  const { principal } = useConsole()
  const role = principal.role === undefined ? '' : `, which the role ${principal.role} lacks`
  return (
    <p class="notice">
      {what} the right {right}
      {role}.
    </p>
  )
}
