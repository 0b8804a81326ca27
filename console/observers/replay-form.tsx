// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'

const HOUR_MS = 3_600_000

/** From when on an observer is to run again. */
export function ReplayForm({ onAsk }: { readonly onAsk: (from: string) => void }) {
  const [from, setFrom] = useState(() => hourAgo())
  const submit = (event: Event) => {
    event.preventDefault()
    if (from.trim() !== '') onAsk(from.trim())
  }
  return (
    <form class="row" onSubmit={submit}>
      <label for="replay-from">Replay from</label>
      <input
        id="replay-from"
        type="text"
        class="mono"
        size={22}
        spellcheck={false}
        value={from}
        onInput={({ currentTarget }) => setFrom(currentTarget.value)}
      />
      <button type="submit">Replay …</button>
    </form>
  )
}

function hourAgo(): string {
  return `${new Date(Date.now() - HOUR_MS).toISOString().slice(0, 19)}Z`
}
