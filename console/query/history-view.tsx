// SPDX-License-Identifier: Apache-2.0

/** The texts that were run before; a click puts one into the editor. */
export function HistoryView({
  texts,
  onChosen,
  onForget,
}: {
  readonly texts: readonly string[]
  readonly onChosen: (text: string) => void
  readonly onForget: () => void
}) {
  if (texts.length === 0) return null
  return (
    <details class="history">
      <summary>History</summary>
      <ol>
        {texts.map((text) => (
          <li key={text}>
            <button type="button" class="link mono" onClick={() => onChosen(text)}>
              {text}
            </button>
          </li>
        ))}
      </ol>
      <button type="button" onClick={onForget}>
        Forget all
      </button>
    </details>
  )
}
