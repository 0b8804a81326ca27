// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client-sdk/client.ts'
import { type Comparison, comparisonsOf, conditionOf } from './column-filter.ts'

/** A condition on one column, put together from what there is to choose. */
export function ColumnFilter({
  table,
  onCondition,
}: {
  readonly table: Schemas['Table']
  readonly onCondition: (condition: string) => void
}) {
  const { columns, primaryKey } = table
  const [name, setName] = useState(primaryKey[0]?.column ?? '')
  const [comparison, setComparison] = useState<Comparison>('=')
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const column = columns.find((one) => one.name === name) ?? columns[0]
  if (column === undefined) return null
  const comparisons = comparisonsOf(column)
  const chosen = comparisons.includes(comparison) ? comparison : (comparisons[0] as Comparison)
  const submit = (event: Event) => {
    event.preventDefault()
    const made = conditionOf(column, chosen, text)
    setProblem('problem' in made ? made.problem : undefined)
    if ('condition' in made) onCondition(made.condition)
  }
  return (
    <form class="wanted" aria-label="Filter by a column" onSubmit={submit}>
      <select
        aria-label="Column"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      >
        {columns.map((one) => (
          <option key={one.name}>{one.name}</option>
        ))}
      </select>
      <select
        aria-label="Comparison"
        value={chosen}
        onChange={({ currentTarget }) => setComparison(currentTarget.value as Comparison)}
      >
        {comparisons.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      {chosen !== 'is NULL' && (
        <input
          type="text"
          class="mono"
          aria-label="Value"
          aria-invalid={problem !== undefined}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <button type="submit">Filter</button>
      {problem !== undefined && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}
