// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from 'preact/hooks'
import { useConsole, useRight } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import { AskFirst } from '../page/statements/ask-first.tsx'
import sheet from './access.css' with { type: 'css' }
import { GrantsSection } from './grants-section.tsx'
import { RolesSection } from './roles-section.tsx'
import { TokensSection } from './tokens-section.tsx'
import { useAccess } from './use-access.ts'

document.adoptedStyleSheets.push(sheet)

/** Tokens, roles and grants to an administrator; to anybody else what the own role may do. */
export function AccessView() {
  const { db } = useConsole()
  const isAdmin = useRight('admin')
  const made = useAccess(db, isAdmin)
  const { access, error, requested, secret } = made
  return (
    <div class="status access">
      <h2 class="unseen">Access</h2>
      {error !== undefined && <Problem error={error} />}
      {requested !== undefined && (
        <AskFirst
          key={requested.sql}
          label="Send this statement?"
          sent={requested.sql}
          meaning={requested.meaning}
          onAnswer={made.answer}
        />
      )}
      {secret !== undefined && <Secret text={secret} onDone={made.putAway} />}
      {access === undefined && error === undefined && <p class="notice">Loading …</p>}
      {access !== undefined && isAdmin && (
        <>
          <TokensSection access={access} onRequest={made.request} />
          <RolesSection access={access} onRequest={made.request} />
        </>
      )}
      {access !== undefined && (
        <GrantsSection access={access} isAdmin={isAdmin} onRequest={made.request} />
      )}
    </div>
  )
}

/** A token, which nobody can read again. */
function Secret({ text, onDone }: { readonly text: string; readonly onDone: () => void }) {
  const place = useRef<HTMLInputElement>(null)
  useEffect(() => place.current?.select(), [text])
  return (
    <section class="asked" aria-label="The new token">
      <label for="new-token">The token, which is shown this once: keep it now.</label>
      <input id="new-token" ref={place} type="text" class="mono" readOnly value={text} />
      <p class="row">
        <button type="button" class="first" onClick={onDone}>
          I have kept it
        </button>
      </p>
    </section>
  )
}
