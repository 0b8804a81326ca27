// SPDX-License-Identifier: Apache-2.0
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'

/**
 * A record of the passes, in little-endian doubles and then the payload as UTF-8, of which there is none where only
 * keys are carried:
 *
 *      0  id
 *      8  keys of the three passes
 *     32  the id that this document follows, -1 where it represents others
 *     40  the cluster that the store had for it, -1 where it had none
 *     48  bytes of the payload (4), the payload
 */
const AT = { id: 0, keys: 8, follows: 32, known: 40, payloadBytes: 48 } as const
const HEAD_BYTES = 52
const NONE = -1
const BUFFER_BYTES = 256 * 1_024

export type PassRecord = {
  readonly id: number
  readonly keys: readonly number[]
  readonly known: number | undefined
  readonly payload: string
}

/** The records of a file, read as a whole: a piece of a partition fits in memory. */
export class RecordFile {
  readonly #bytes: Buffer

  constructor(path: string) {
    this.#bytes = readFileSync(path)
  }

  /** Where each record begins, in their order. */
  *places(): Iterable<number> {
    for (let at = 0; at < this.#bytes.length; at += this.#length(at)) yield at
  }

  id(at: number): number {
    return this.#bytes.readDoubleLE(at + AT.id)
  }

  /** Of a pass, 0 to 2. */
  key(at: number, pass: number): number {
    return this.#bytes.readDoubleLE(at + AT.keys + 8 * pass)
  }

  /** Undefined where it represents others. */
  follows(at: number): number | undefined {
    return present(this.#bytes.readDoubleLE(at + AT.follows))
  }

  /** The cluster that the store had for it. */
  known(at: number): number | undefined {
    return present(this.#bytes.readDoubleLE(at + AT.known))
  }

  follow(at: number, id: number): void {
    this.#bytes.writeDoubleLE(id, at + AT.follows)
  }

  /** The whole record, to be written as it is. */
  bytes(at: number): Buffer {
    return this.#bytes.subarray(at, at + this.#length(at))
  }

  #length(at: number): number {
    return HEAD_BYTES + this.#bytes.readUInt32LE(at + AT.payloadBytes)
  }
}

function present(value: number): number | undefined {
  return value === NONE ? undefined : value
}

export function encodeRecord({ id, keys, known, payload }: PassRecord): Buffer {
  const payloadBytes = Buffer.byteLength(payload)
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + payloadBytes)
  bytes.writeDoubleLE(id, AT.id)
  keys.forEach((key, pass) => void bytes.writeDoubleLE(key, AT.keys + 8 * pass))
  bytes.writeDoubleLE(NONE, AT.follows)
  bytes.writeDoubleLE(known ?? NONE, AT.known)
  bytes.writeUInt32LE(payloadBytes, AT.payloadBytes)
  bytes.write(payload, HEAD_BYTES)
  return bytes
}

/** A new file of records, written through a buffer. */
export class RecordWriter {
  readonly #file: number
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  #used = 0

  constructor(path: string) {
    this.#file = openSync(path, 'wx')
  }

  write(record: Buffer): void {
    if (this.#used + record.length > BUFFER_BYTES) this.#flush()
    if (record.length > BUFFER_BYTES) {
      writeSync(this.#file, record)
      return
    }
    this.#used += record.copy(this.#buffer, this.#used)
  }

  /** What a pass has made is on the disk before the next one begins; its partitions need not be. */
  close({ durably }: { readonly durably: boolean }): void {
    this.#flush()
    if (durably) fsyncSync(this.#file)
    closeSync(this.#file)
  }

  #flush(): void {
    writeSync(this.#file, this.#buffer, 0, this.#used)
    this.#used = 0
  }
}
