// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { TOKEN_KEY, useConsole } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'

/** A form for whom, which opens a tab that sees what a holder of the role with these claims sees. */
export function SeeAs({ role, onDone }: { readonly role: string; readonly onDone: () => void }) {
  const { db } = useConsole()
  const [subject, setSubject] = useState('')
  const [claims, setClaims] = useState('')
  const [error, setError] = useState<unknown>()
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const open = async (event: Event) => {
    event.preventDefault()
    setError(undefined)
    // At once, as browsers open a tab only for a press.
    const tab = window.open('', '_blank')
    try {
      if (tab === null) throw new Error('The browser opens no tab for this page.')
      const sub = subject === '' ? {} : { sub: subject }
      const order = { role, claims: { ...claimsIn(claims), ...sub } }
      type Made = Schemas['Impersonation']
      const { token } = await db.request<Made>('POST', '/v1/impersonations', order)
      tab.sessionStorage.setItem(TOKEN_KEY, token)
      tab.opener = null
      tab.location.replace(location.pathname)
      onDone()
    } catch (reason) {
      tab?.close()
      setError(reason)
    }
  }
  return (
    <form class="see-as" aria-label={`See as ${role}`} onSubmit={open}>
      <p>
        A new tab shows for ten minutes what a holder of the role <strong>{role}</strong> sees, and
        changes nothing.
      </p>
      <p class="row">
        <label>
          token.sub{' '}
          <input
            type="text"
            ref={first}
            value={subject}
            onInput={({ currentTarget }) => setSubject(currentTarget.value)}
          />
        </label>
        <label>
          other claims{' '}
          <input
            type="text"
            class="mono"
            placeholder='{"team": 7}'
            value={claims}
            onInput={({ currentTarget }) => setClaims(currentTarget.value)}
          />
        </label>
      </p>
      {error !== undefined && <Problem error={error} />}
      <p class="row">
        <button type="submit" class="first">
          Open a tab
        </button>
        <button type="button" onClick={onDone}>
          Leave it
        </button>
      </p>
    </form>
  )
}

/** Throws Error for what is no object. */
function claimsIn(text: string): Record<string, string | number | boolean> {
  if (text.trim() === '') return {}
  try {
    const claims: unknown = JSON.parse(text)
    if (typeof claims === 'object' && claims !== null && !Array.isArray(claims)) {
      return claims as Record<string, string | number | boolean>
    }
  } catch {
    // Said below.
  }
  throw new Error('Other claims are an object in JSON, like {"team": 7}.')
}
