// SPDX-License-Identifier: Apache-2.0
import { keyString } from '../../storage/cells/row-key.ts'
import { NO_ROW, type RowImage } from './etcd-row.ts'

/** Of all images together, as `bytesOf` counts them. */
const BYTES_MAX = 16 * 1024 * 1024
/** A longer row is read again when it is changed. */
const IMAGE_BYTES_MAX = 256 * 1024
/** What a cell takes beside its value, and an image beside its cells. */
const CELL_BYTES = 128

/**
 * What rows were when this process last read or changed them; the oldest are dropped. They may have changed since, so a
 * change that supposes one of them compares (E1).
 */
export class RowImages {
  readonly #images = new Map<string, RowImage>()
  #bytes = 0

  get(row: Uint8Array): RowImage {
    return this.#images.get(keyString(row)) ?? NO_ROW
  }

  /** The younger one of two stays. */
  remember(row: Uint8Array, image: RowImage): void {
    const key = keyString(row)
    const known = this.#images.get(key)
    if (known !== undefined && known.asOf > image.asOf) return
    this.#drop(key)
    const bytes = bytesOf(key, image)
    if (bytes > IMAGE_BYTES_MAX) return
    this.#images.set(key, image)
    this.#bytes += bytes
    for (const oldest of this.#images.keys()) {
      if (this.#bytes <= BYTES_MAX) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const image = this.#images.get(key)
    if (image === undefined) return
    this.#images.delete(key)
    this.#bytes -= bytesOf(key, image)
  }
}

function bytesOf(key: string, { cells }: RowImage): number {
  let bytes = 2 * key.length + CELL_BYTES
  for (const { qualifier, value } of cells) bytes += qualifier.length + value.length + CELL_BYTES
  return bytes
}
