// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import { ListTable } from '../page/lists/list-table.tsx'
import { type AccessStatement, createRole, dropRole } from './access-statements.ts'
import { SeeAs } from './see-as.tsx'
import type { Access } from './use-access.ts'

/** The roles, and a new one. */
export function RolesSection({
  access,
  onRequest,
}: {
  readonly access: Access
  readonly onRequest: (statement: AccessStatement) => void
}) {
  const [name, setName] = useState('')
  const [isForJwt, setIsForJwt] = useState(false)
  const [seen, setSeen] = useState<string>()
  const submit = (event: Event) => {
    event.preventDefault()
    onRequest(createRole(name.trim(), isForJwt))
  }
  return (
    <section>
      <h2>Roles</h2>
      <ListTable
        label="Roles"
        heads={['role', 'for', { number: 'tokens' }, 'limits', { unseen: 'actions' }]}
      >
        {access.roles.map(({ role, jwt, tokens, limits }) => (
          <tr key={role}>
            <th scope="row">{role}</th>
            <td>{jwt ? 'JWT' : 'tokens'}</td>
            <td class="number">{String(tokens)}</td>
            <td>{limits ?? 'none'}</td>
            <td>
              {role !== 'admin' && (
                <span class="row">
                  {access.tokens.length > 0 && (
                    <button type="button" onClick={() => setSeen(role)}>
                      See as …
                    </button>
                  )}
                  <button type="button" onClick={() => onRequest(dropRole(role))}>
                    Drop …
                  </button>
                </span>
              )}
            </td>
          </tr>
        ))}
      </ListTable>
      {seen !== undefined && <SeeAs key={seen} role={seen} onDone={() => setSeen(undefined)} />}
      <form aria-label="A new role" onSubmit={submit}>
        <input
          type="text"
          required
          aria-label="Name of the role"
          placeholder="Name"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <label>
          <input
            type="checkbox"
            checked={isForJwt}
            onChange={({ currentTarget }) => setIsForJwt(currentTarget.checked)}
          />{' '}
          for JWT
        </label>
        <button type="submit">Create a role …</button>
      </form>
    </section>
  )
}
