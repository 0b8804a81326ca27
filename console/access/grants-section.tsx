// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import { ListTable } from '../page/lists/list-table.tsx'
import { type AccessStatement, type Grant, revokeOf } from './access-statements.ts'
import { GrantForm } from './grant-form.tsx'
import type { Access } from './use-access.ts'

/** What each role may do, with its rules about rows; to who is no administrator, of the own role. */
export function GrantsSection({
  access,
  isAdmin,
  onRequest,
}: {
  readonly access: Access
  readonly isAdmin: boolean
  readonly onRequest: (statement: AccessStatement) => void
}) {
  const [role, setRole] = useState('')
  const { grants, roles } = access
  const shown = role === '' ? grants : grants.filter((grant) => grant.role === role)
  return (
    <section>
      <h2>{isAdmin ? 'Grants and rules' : 'What this role may do'}</h2>
      {isAdmin && (
        <label>
          Grants of{' '}
          <select value={role} onChange={({ currentTarget }) => setRole(currentTarget.value)}>
            <option value="">all roles</option>
            {roles.map((one) => (
              <option key={one.role}>{one.role}</option>
            ))}
          </select>
        </label>
      )}
      {shown.length === 0 ? (
        <p class="muted">Nothing has been granted.</p>
      ) : (
        <ListTable label="Grants" heads={['role', 'right', 'on', 'rows', { unseen: 'actions' }]}>
          {shown.map((grant, at) => (
            <tr key={at}>
              <th scope="row">{grant.role}</th>
              <td>{grant.right}</td>
              <td>{grant.table ?? grant.scope}</td>
              <td>{ruleOf(grant)}</td>
              <td>
                {isAdmin && grant.role !== 'admin' && (
                  <button type="button" onClick={() => onRequest(revokeOf(grant))}>
                    Revoke …
                  </button>
                )}
              </td>
            </tr>
          ))}
        </ListTable>
      )}
      {isAdmin && <GrantForm access={access} onRequest={onRequest} />}
    </section>
  )
}

function ruleOf({ scope, rule, by }: Grant) {
  if (rule === null) return scope === 'server' ? '' : 'all'
  return (
    <>
      where <code>{rule}</code> <span class="muted">(by {by})</span>
    </>
  )
}
