// SPDX-License-Identifier: Apache-2.0
import { bytesText } from '../page/stamp-text.ts'
import { bytesOfField, type FieldValue } from './form-values.ts'

/** How large the BYTES of a field are, and the way of a file out of it and into it. */
export function BytesFile({
  name,
  value,
  isFixed,
  onChange,
}: {
  readonly name: string
  readonly value: FieldValue
  readonly isFixed: boolean
  readonly onChange: (value: FieldValue) => void
}) {
  const bytes = bytesOfField(value)
  const upload = async ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    const [file] = currentTarget.files ?? []
    if (file === undefined) return
    onChange({ kind: 'bytes', bytes: new Uint8Array(await file.arrayBuffer()) })
  }
  return (
    <span class="row muted">
      {bytes !== undefined && (
        <>
          {bytesText(bytes.length)}
          <button type="button" onClick={() => download(bytes, name)}>
            Download
          </button>
        </>
      )}
      {!isFixed && <input type="file" aria-label={`A file for ${name}`} onChange={upload} />}
    </span>
  )
}

/** As a file that is only kept, whatever its bytes say. */
function download(bytes: Uint8Array, name: string): void {
  const blob = new Blob([new Uint8Array(bytes)], { type: 'application/octet-stream' })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
