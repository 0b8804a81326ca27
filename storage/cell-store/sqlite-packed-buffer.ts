// SPDX-License-Identifier: Apache-2.0

/** Writes values one behind the other into a buffer of a size that was reckoned before. */
export class PackedWriter {
  readonly #buffer: Buffer<ArrayBuffer>
  #at = 0

  constructor(bytesMax: number) {
    // Memory of its own, because it is handed over to another thread as a whole.
    this.#buffer = Buffer.allocUnsafeSlow(bytesMax)
  }

  byte(value: number): void {
    this.#buffer[this.#at++] = value
  }

  count(value: number): void {
    this.#at = this.#buffer.writeUInt32LE(value, this.#at)
  }

  number(value: number): void {
    this.#at = this.#buffer.writeDoubleLE(value, this.#at)
  }

  bigint(value: bigint): void {
    this.#at = this.#buffer.writeBigInt64LE(value, this.#at)
  }

  bytes(value: Uint8Array): void {
    this.count(value.length)
    this.#buffer.set(value, this.#at)
    this.#at += value.length
  }

  text(value: string): void {
    const lengthAt = this.#at
    this.#at += 4
    // A qualifier is mostly one digit, and a call into the runtime for it costs more than itself.
    const code = value.length === 1 ? value.charCodeAt(0) : 0x80
    if (code < 0x80) this.byte(code)
    else this.#at += this.#buffer.write(value, this.#at)
    this.#buffer.writeUInt32LE(this.#at - lengthAt - 4, lengthAt)
  }

  /** Notes whether a value follows, which the caller writes then. */
  isThere<T>(value: T | undefined): value is T {
    this.byte(value === undefined ? 0 : 1)
    return value !== undefined
  }

  /** What was written. */
  taken(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#at)
  }
}

/** Reads the values back in the same order. Byte strings share the buffer's memory. */
export class PackedReader {
  readonly #buffer: Buffer
  #at = 0

  constructor(packed: Uint8Array) {
    this.#buffer = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
  }

  byte(): number {
    return this.#buffer[this.#at++] as number
  }

  count(): number {
    this.#at += 4
    return this.#buffer.readUInt32LE(this.#at - 4)
  }

  number(): number {
    this.#at += 8
    return this.#buffer.readDoubleLE(this.#at - 8)
  }

  bigint(): bigint {
    this.#at += 8
    return this.#buffer.readBigInt64LE(this.#at - 8)
  }

  bytes(): Uint8Array {
    const length = this.count()
    this.#at += length
    return this.#buffer.subarray(this.#at - length, this.#at)
  }

  text(): string {
    const length = this.count()
    this.#at += length
    if (length === 1) return String.fromCharCode(this.#buffer[this.#at - 1] as number)
    return this.#buffer.toString('utf8', this.#at - length, this.#at)
  }

  /** Whether a value follows, which the caller reads then. */
  wasThere(): boolean {
    return this.byte() === 1
  }

  list<T>(read: (packed: PackedReader) => T): T[] {
    const count = this.count()
    const values: T[] = []
    for (let at = 0; at < count; at++) values.push(read(this))
    return values
  }
}
