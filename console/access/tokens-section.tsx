// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import { ListTable } from '../page/lists/list-table.tsx'
import { type AccessStatement, createToken, dropToken, rotateToken } from './access-statements.ts'
import type { Access } from './use-access.ts'

const DAYS_MAX = 366

type Props = {
  readonly access: Access
  readonly onRequest: (statement: AccessStatement) => void
}

/** The tokens of the server, and a new one. */
export function TokensSection({ access, onRequest }: Props) {
  const { tokens } = access
  return (
    <section>
      <h2>Tokens</h2>
      {tokens.length === 0 ? (
        <p class="muted">There is none: the server is open to all that reach it.</p>
      ) : (
        <ListTable
          label="Tokens"
          heads={[
            'name',
            'public id',
            'role',
            'expires',
            'secret of before',
            { unseen: 'actions' },
          ]}
        >
          {tokens.map(({ name, id, role, expires, formerUntil }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td class="mono">{id}</td>
              <td>{role}</td>
              <td>{expires}</td>
              <td>{formerUntil === null ? '' : `counts until ${formerUntil}`}</td>
              <td>
                <span class="row">
                  <button type="button" onClick={() => onRequest(rotateToken(name))}>
                    Rotate …
                  </button>
                  <button type="button" onClick={() => onRequest(dropToken(name))}>
                    Drop …
                  </button>
                </span>
              </td>
            </tr>
          ))}
        </ListTable>
      )}
      <NewToken access={access} onRequest={onRequest} />
    </section>
  )
}

function NewToken({ access: { tokens, roles }, onRequest }: Props) {
  const isFirst = tokens.length === 0
  const names = isFirst ? ['admin'] : roles.filter(({ jwt }) => !jwt).map(({ role }) => role)
  const [name, setName] = useState('')
  const [chosen, setRole] = useState('admin')
  const [days, setDays] = useState(90)
  const role = names.includes(chosen) ? chosen : 'admin'
  const submit = (event: Event) => {
    event.preventDefault()
    onRequest(createToken({ name: name.trim(), role, days }, isFirst))
  }
  return (
    <form aria-label="A new token" onSubmit={submit}>
      <input
        type="text"
        required
        aria-label="Name of the token"
        placeholder="Name"
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <label>
        role{' '}
        <select value={role} onChange={({ currentTarget }) => setRole(currentTarget.value)}>
          {names.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        for{' '}
        <input
          type="number"
          required
          min={1}
          max={DAYS_MAX}
          value={days}
          onInput={({ currentTarget }) => setDays(currentTarget.valueAsNumber)}
        />{' '}
        days
      </label>
      <button type="submit">Create a token …</button>
    </form>
  )
}
