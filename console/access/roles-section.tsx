// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import { ListTable } from '../page/lists/list-table.tsx'
import { type AccessStatement, createRole, dropRole } from './access-statements.ts'
import type { Access } from './use-access.ts'

/** The roles, and a new one. */
export function RolesSection({
  access: { roles },
  onRequest,
}: {
  readonly access: Access
  readonly onRequest: (statement: AccessStatement) => void
}) {
  const [name, setName] = useState('')
  const [isForJwt, setIsForJwt] = useState(false)
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
        {roles.map(({ role, jwt, tokens, limits }) => (
          <tr key={role}>
            <th scope="row">{role}</th>
            <td>{jwt ? 'JWT' : 'tokens'}</td>
            <td class="number">{String(tokens)}</td>
            <td>{limits ?? 'none'}</td>
            <td>
              {role !== 'admin' && (
                <button type="button" onClick={() => onRequest(dropRole(role))}>
                  Drop …
                </button>
              )}
            </td>
          </tr>
        ))}
      </ListTable>
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
