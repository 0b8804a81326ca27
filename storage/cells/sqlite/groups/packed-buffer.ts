// SPDX-License-Identifier: Apache-2.0

/** Writes values one after the other into a memory whose size was computed before. */
export class PackedWriter<Memory extends ArrayBufferLike = ArrayBuffer> {
  readonly #buffer: Buffer
  /** For numbers: it takes half as long as the buffer's own methods. */
  readonly #view: DataView<Memory>
  #at = 0

  constructor(memory: Memory) {
    this.#buffer = Buffer.from(memory)
    this.#view = new DataView(memory)
  }

  byte(value: number): void {
    this.#buffer[this.#at++] = value
  }

  count(value: number): void {
    this.#view.setUint32(this.#at, value)
    this.#at += 4
  }

  number(value: number): void {
    this.#view.setFloat64(this.#at, value)
    this.#at += 8
  }

  bigint(value: bigint): void {
    this.#view.setBigInt64(this.#at, value)
    this.#at += 8
  }

  bytes(value: Uint8Array): void {
    this.count(value.length)
    this.#buffer.set(value, this.#at)
    this.#at += value.length
  }

  text(value: string): void {
    const lengthAt = this.#at
    this.#at += 4
    // A qualifier is usually one digit, and writing the byte here is cheaper than a call into the runtime.
    const code = value.length === 1 ? value.charCodeAt(0) : 0x80
    if (code < 0x80) this.byte(code)
    else this.#at += this.#buffer.write(value, this.#at)
    this.#view.setUint32(lengthAt, this.#at - lengthAt - 4)
  }

  /** Writes whether a value follows, which the caller then writes; returns the same. */
  isThere<T>(value: T | undefined): value is T {
    this.byte(value === undefined ? 0 : 1)
    return value !== undefined
  }

  /** The bytes written. */
  taken(): Uint8Array<Memory> {
    return new Uint8Array(this.#view.buffer, 0, this.#at)
  }
}

/** Reads the values back in the same order. Byte strings share the buffer's memory. */
export class PackedReader {
  readonly #buffer: Buffer
  readonly #view: DataView
  #at = 0

  constructor(packed: Uint8Array) {
    const { buffer, byteOffset, byteLength } = packed
    this.#buffer = Buffer.from(buffer, byteOffset, byteLength)
    this.#view = new DataView(buffer, byteOffset, byteLength)
  }

  /** The offset of the next value. */
  get at(): number {
    return this.#at
  }

  moveTo(at: number): void {
    this.#at = at
  }

  byte(): number {
    return this.#buffer[this.#at++] as number
  }

  count(): number {
    this.#at += 4
    return this.#view.getUint32(this.#at - 4)
  }

  number(): number {
    this.#at += 8
    return this.#view.getFloat64(this.#at - 8)
  }

  bigint(): bigint {
    this.#at += 8
    return this.#view.getBigInt64(this.#at - 8)
  }

  bytes(): Uint8Array {
    const length = this.count()
    this.#at += length
    return this.#buffer.subarray(this.#at - length, this.#at)
  }

  skip(length: number): void {
    this.#at += length
  }

  skipBytes(): void {
    const length = this.count()
    this.#at += length
  }

  text(): string {
    const length = this.count()
    this.#at += length
    if (length === 1) return String.fromCharCode(this.#buffer[this.#at - 1] as number)
    return this.#buffer.toString('utf8', this.#at - length, this.#at)
  }

  /** Whether a value follows, which the caller then reads. */
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
