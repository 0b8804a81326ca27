// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Schemas } from '../../../client-sdk/client.ts'
import { keyWords } from '../../page/statements/key-words.ts'
import { goTo } from '../../page/use-address.ts'
import { BOUNDED, type RowsWanted, rowsAddress } from '../use-rows.ts'
import { joined } from './column-filter.ts'
import { ColumnFilter } from './column-filter-form.tsx'

/** The box for a condition, the key that is walked, a filter by a column, and what else there is to press. */
export function WantedForm({
  table,
  wanted,
  onAgain,
  children,
}: {
  readonly table: Schemas['Table']
  readonly wanted: RowsWanted
  readonly onAgain: () => void
  readonly children: ComponentChildren
}) {
  const { where, index } = wanted
  const [text, setText] = useState(where ?? '')
  // Before the browser takes another key: what is typed into a new page would be lost.
  useLayoutEffect(() => setText(where ?? ''), [where])
  const go = (condition: string, by: string) =>
    goTo(rowsAddress({ ...wanted, where: condition, index: by, order: orderFor(wanted, by) }))
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() === (where ?? '')) onAgain()
    else go(text, index)
  }
  return (
    <div class="wanted-rows">
      <form class="wanted" onSubmit={submit}>
        <span class="labelled where">
          <label for="where">WHERE</label>
          <input
            id="where"
            type="text"
            class="mono"
            spellcheck={false}
            placeholder={`${table.primaryKey[0]?.column ?? 'id'} = …`}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </span>
        <ReadBy table={table} index={index} onChange={(by) => go(text, by)} />
        <button type="submit" class="first">
          Read
        </button>
        {children}
      </form>
      <ColumnFilter
        table={table}
        onCondition={(condition) => go(joined(where, condition), BOUNDED)}
      />
    </div>
  )
}

function ReadBy({
  table,
  index,
  onChange,
}: {
  readonly table: Schemas['Table']
  readonly index: string
  readonly onChange: (index: string) => void
}) {
  return (
    <span class="labelled">
      <label for="read-by">read by</label>
      <select
        id="read-by"
        value={index}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        <option value="primary">primary key ({keyWords(table.primaryKey)})</option>
        {table.indexes
          .filter(({ state }) => state === 'ready')
          .map(({ name, columns }) => (
            <option key={name} value={name}>
              {name} ({keyWords(columns)})
            </option>
          ))}
        <option value={BOUNDED}>the key that the condition bounds</option>
      </select>
    </span>
  )
}

/** Of another key the order is its own. */
function orderFor({ index, order }: RowsWanted, by: string): string | undefined {
  return by === index ? order : undefined
}
