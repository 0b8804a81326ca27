// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from 'preact/hooks'
import { needsToken, problemFacts } from './problem-facts.ts'

/** Asks for a token, and says why the one before was refused. */
export function TokenPrompt({
  error,
  onToken,
}: {
  readonly error: unknown
  readonly onToken: (token: string) => void
}) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  useEffect(() => field.current?.focus(), [])
  const submit = (event: Event) => {
    event.preventDefault()
    const token = text.trim()
    setText('')
    if (token !== '') onToken(token)
  }
  return (
    <main class="prompt">
      <h1>Percolite</h1>
      <form onSubmit={submit}>
        <label for="token">Token</label>
        <input
          id="token"
          ref={field}
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" class="first">
          Sign in
        </button>
      </form>
      <p class="muted">It is kept in this tab until it is closed.</p>
      {error !== undefined && (
        <p class="message" role="alert">
          {needsToken(error) ? 'The server does not take this token.' : problemFacts(error).message}
        </p>
      )}
    </main>
  )
}
