// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import {
  type AccessStatement,
  grantOf,
  type Scope,
  SERVER_RIGHTS,
  TABLE_RIGHTS,
} from './access-statements.ts'
import type { Access } from './use-access.ts'

/** Values of the choice that are no tables, as these are numbered there. */
const SCOPES: Readonly<Record<string, Scope>> = {
  server: { kind: 'server' },
  all: { kind: 'all tables' },
}

/** Rights for a role, on one table with a rule perhaps, on all of them, or on the server. */
export function GrantForm({
  access: { roles, tables },
  onRequest,
}: {
  readonly access: Access
  readonly onRequest: (statement: AccessStatement) => void
}) {
  const others = roles.map(({ role }) => role).filter((role) => role !== 'admin')
  const [chosen, setRole] = useState('')
  const [on, setOn] = useState('all')
  const [rights, setRights] = useState<ReadonlySet<string>>(new Set(['READ']))
  const [rule, setRule] = useState('')
  if (others.length === 0) return <p class="muted">Create a role to grant it rights.</p>
  const role = others.includes(chosen) ? chosen : (others[0] as string)
  const scope = SCOPES[on] ?? { table: tables[Number(on)] ?? '' }
  const offered: readonly string[] = on === 'server' ? SERVER_RIGHTS : TABLE_RIGHTS
  const wanted = offered.filter((right) => rights.has(right))
  const submit = (event: Event) => {
    event.preventDefault()
    if (wanted.length > 0) onRequest(grantOf(role, wanted, scope, rule))
  }
  const toggle = (right: string, isOn: boolean) =>
    setRights(new Set(isOn ? [...rights, right] : [...rights].filter((one) => one !== right)))
  return (
    <form aria-label="A new grant" onSubmit={submit}>
      <label>
        to{' '}
        <select value={role} onChange={({ currentTarget }) => setRole(currentTarget.value)}>
          {others.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        on{' '}
        <select
          aria-label="On what"
          value={on}
          onChange={({ currentTarget }) => setOn(currentTarget.value)}
        >
          <option value="all">all tables</option>
          <option value="server">the server</option>
          {tables.map((table, at) => (
            <option key={table} value={at}>
              {table}
            </option>
          ))}
        </select>
      </label>
      {offered.map((right) => (
        <label key={right}>
          <input
            type="checkbox"
            checked={rights.has(right)}
            onChange={({ currentTarget }) => toggle(right, currentTarget.checked)}
          />{' '}
          {right}
        </label>
      ))}
      {'table' in scope && (
        <input
          type="text"
          class="mono"
          aria-label="Rule about rows"
          placeholder="owner = token.sub"
          spellcheck={false}
          value={rule}
          onInput={({ currentTarget }) => setRule(currentTarget.value)}
        />
      )}
      <button type="submit" disabled={wanted.length === 0}>
        Grant …
      </button>
    </form>
  )
}
