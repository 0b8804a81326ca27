// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import { readSaved, removeStatement, savedAsText, saveStatement } from './saved-statements.ts'

/** Statements under a name; a click puts one into the editor. */
export function SavedView({
  text,
  onChosen,
}: {
  /** Of the editor, which is what is saved. */
  readonly text: string
  readonly onChosen: (text: string) => void
}) {
  const [saved, setSaved] = useState(() => readSaved(localStorage))
  const [name, setName] = useState('')
  const [notice, setNotice] = useState<{ readonly words: string; readonly isBad: boolean }>()
  const submit = (event: Event) => {
    event.preventDefault()
    const done = saveStatement(localStorage, { name, text })
    if ('problem' in done) return setNotice({ words: done.problem, isBad: true })
    setSaved(done.saved)
    setNotice({ words: `Saved as ${name.trim()}.`, isBad: false })
    setName('')
  }
  return (
    <details class="history">
      <summary>Saved statements</summary>
      <form class="row" onSubmit={submit}>
        <input
          type="text"
          aria-label="A name for the text of the editor"
          placeholder="Name"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <button type="submit">Save</button>
        {saved.length > 0 && (
          <button type="button" onClick={() => download(savedAsText(saved))}>
            Export
          </button>
        )}
      </form>
      {notice !== undefined && (
        <p class={notice.isBad ? 'bad' : 'muted'} role={notice.isBad ? 'alert' : 'status'}>
          {notice.words}
        </p>
      )}
      <ol aria-label="Saved statements">
        {saved.map((one) => (
          <li key={one.name} class="row">
            <button type="button" class="link" title={one.text} onClick={() => onChosen(one.text)}>
              {one.name}
            </button>
            <button
              type="button"
              class="link"
              aria-label={`Remove ${one.name}`}
              onClick={() => {
                setSaved(removeStatement(localStorage, one.name))
                setNotice(undefined)
              }}
            >
              remove
            </button>
          </li>
        ))}
      </ol>
    </details>
  )
}

function download(text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = 'statements.sql'
  link.click()
  URL.revokeObjectURL(link.href)
}
