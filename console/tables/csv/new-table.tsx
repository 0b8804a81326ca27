// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import { useConsole } from '../../page/console-context.ts'
import { Problem } from '../../page/problem.tsx'
import { goTo } from '../../page/use-address.ts'
import { createdName, guessedTable } from './guessed-table.ts'
import type { CsvFile } from './use-import.ts'

/** The statement that makes a table for a file, to be looked at and changed before it is sent. */
export function NewTable({ file }: { readonly file: CsvFile }) {
  const { db } = useConsole()
  const [text, setText] = useState(() => guessedTable(nameOf(file.name), file.csv))
  const [error, setError] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const create = async (event: Event) => {
    event.preventDefault()
    setIsBusy(true)
    setError(undefined)
    try {
      await db.query(text)
      goTo({ view: 'tables', parts: [createdName(text)], query: { import: 'csv' } })
    } catch (reason) {
      setError(reason)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <form class="new-table" onSubmit={create}>
      <label for="new-table">
        The table, guessed from the first rows: change its names, types and key as you want them.
      </label>
      <textarea
        id="new-table"
        class="mono"
        rows={Math.min(20, text.split('\n').length + 1)}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {error !== undefined && <Problem error={error} />}
      <button type="submit" class="first" disabled={isBusy}>
        Create the table
      </button>
    </form>
  )
}

/** Of the table: that of the file, without what ends it. */
function nameOf(file: string): string {
  return file.replace(/\.\w+$/, '').replaceAll(/\W+/g, '_') || 'imported'
}
