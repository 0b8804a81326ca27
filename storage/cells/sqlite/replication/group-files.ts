// SPDX-License-Identifier: Apache-2.0
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writevSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { GROUP_FORMAT, type StreamPosition } from '../../store-replication.ts'
import { FILE_MODE } from '../file/folder-check.ts'
import {
  decodeRecordAt,
  encodeRecordOf,
  type GroupRecord,
  lengthOfRecordAt,
} from './group-record.ts'

const FOLDER_MODE = 0o700
const FILE_BYTES_MAX = 16 * 1024 * 1024
/** Whole files are removed: what is kept is at least so many. */
const KEPT_FILES_MIN = 4
/** About so far lie marks from each other: more is not read to find a group. */
const MARK_BYTES = 256 * 1024
const NAME = /^\d{16}\.\d+\.groups$/
const ENDING = `.${GROUP_FORMAT}.groups`

/** One file: the groups from its first number on, without a gap. */
type GroupFile = {
  readonly path: string
  readonly first: number
  bytes: number
  /** When the last group was written, in milliseconds of the wall clock. */
  writtenMs: number
  /** Where some of its groups begin. */
  readonly marks: Array<{ readonly number: number; readonly at: number }>
}

export type Kept = { readonly bytesMax: number; readonly msMax: number }

/**
 * The groups that a standby may still ask for, in files that are only appended to: a queue of them in memory would grow
 * with the slowest standby. A group is written here before the writer thread has it, so what that thread makes durable
 * is here after the process was killed. Nothing is synced: after a loss of power the end is missing, the numbers in the
 * store say so, and a standby copies the store.
 */
export class GroupFiles {
  readonly #folder: string
  readonly #kept: Kept
  readonly #files: GroupFile[] = []
  #descriptor: number | undefined
  #last = 0

  private constructor(folder: string, kept: Kept) {
    this.#folder = folder
    this.#kept = kept
  }

  /** Files that do not end at the position of the store are of no use, and removed. */
  static open(folder: string, position: StreamPosition, kept: Kept): GroupFiles {
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
    const files = new GroupFiles(folder, kept)
    files.#find(position)
    return files
  }

  /** The number of the oldest group that is kept; one more than the last where none is. */
  get first(): number {
    return this.#files[0]?.first ?? this.#last + 1
  }

  get last(): number {
    return this.#last
  }

  get bytes(): number {
    return this.#files.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Appends the group after the last. Throws the error of the file system. */
  append(record: GroupRecord, nowMs: number): void {
    const file = this.#fileFor(record.number, nowMs)
    const parts = encodeRecordOf(record)
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    const written = writevSync(this.#descriptor as number, parts)
    if (written !== length) throw new Error(`only ${written} of ${length} bytes were written`)
    const at = file.bytes
    if (at - (file.marks.at(-1)?.at ?? 0) >= MARK_BYTES) {
      file.marks.push({ number: record.number, at })
    }
    file.bytes += length
    file.writtenMs = nowMs
    this.#last = record.number
  }

  /**
   * The groups from `first` up to `last`, as many as fit, at least one. Rejects with RangeError where the first is not
   * kept, or not any more.
   */
  async read(first: number, last: number, bytesMax: number): Promise<Buffer[]> {
    const frame: Buffer[] = []
    let left = bytesMax
    let next = first
    while (next <= last && left > 0) {
      const file = this.#files.findLast((one) => one.first <= next)
      if (file === undefined) throw new RangeError(`group ${next} is not kept`)
      const before = next
      for await (const { bytes, number } of recordsFrom(file, next)) {
        if (number > last || (frame.length > 0 && bytes.length > left)) return frame
        frame.push(bytes)
        left -= bytes.length
        next = number + 1
        if (left <= 0) break
      }
      if (next === before) throw new RangeError(`group ${next} is not in its file`)
    }
    return frame
  }

  /** Removes the oldest files beyond what is kept; the newest stays. */
  prune(nowMs: number): void {
    const { bytesMax, msMax } = this.#kept
    let { bytes } = this
    while (this.#files.length > 1) {
      const [oldest] = this.#files as [GroupFile]
      if (bytes <= bytesMax && nowMs - oldest.writtenMs <= msMax) return
      rmSync(oldest.path, { force: true })
      this.#files.shift()
      bytes -= oldest.bytes
    }
  }

  /** Removes all of them: the next group has the number after `last`. */
  clear(last: number): void {
    this.close()
    for (const { path } of this.#files.splice(0)) rmSync(path, { force: true })
    this.#last = last
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #fileFor(number: number, nowMs: number): GroupFile {
    const newest = this.#files.at(-1)
    const bytesMax = Math.min(FILE_BYTES_MAX, this.#kept.bytesMax / KEPT_FILES_MIN)
    if (newest !== undefined && newest.bytes < bytesMax && this.#descriptor !== undefined) {
      return newest
    }
    this.close()
    const path = join(this.#folder, `${String(number).padStart(16, '0')}${ENDING}`)
    this.#descriptor = openSync(path, 'w', FILE_MODE)
    const file = { path, first: number, bytes: 0, writtenMs: nowMs, marks: [] }
    this.#files.push(file)
    this.prune(nowMs)
    return file
  }

  #find({ stream, number }: StreamPosition): void {
    const names = readdirSync(this.#folder).filter((name) => NAME.test(name))
    for (const name of names.sort()) {
      const path = join(this.#folder, name)
      if (!name.endsWith(ENDING)) {
        rmSync(path, { force: true })
        continue
      }
      const { size, mtimeMs } = statSync(path)
      const first = Number(name.slice(0, 16))
      this.#files.push({ path, first, bytes: size, writtenMs: mtimeMs, marks: [] })
    }
    const end = this.#files.length === 0 ? undefined : this.#endAt(number)
    if (end?.stream !== stream) {
      this.clear(number)
      return
    }
    // What was written for a group that did not become durable is cut off.
    const newest = this.#files.at(-1) as GroupFile
    const descriptor = openSync(newest.path, 'r+')
    ftruncateSync(descriptor, end.end)
    newest.bytes = fstatSync(descriptor).size
    closeSync(descriptor)
    this.#last = number
  }

  /** Where the group with this number ends in the last file that has it, and its stream; later files are removed. */
  #endAt(number: number): { readonly end: number; readonly stream: string } | undefined {
    while ((this.#files.at(-1)?.first ?? 0) > number) {
      const unused = this.#files.pop()
      if (unused !== undefined) rmSync(unused.path, { force: true })
    }
    const newest = this.#files.at(-1)
    if (newest === undefined) return undefined
    const bytes = readFileSync(newest.path)
    for (let at = 0; ; ) {
      const found = decodeRecordAt(bytes, at)
      if (found === undefined) return undefined
      at = found.end
      if (found.record.number === number) return { end: at, stream: found.record.stream }
    }
  }
}

const READ_BYTES = 1024 * 1024

/** The records of a file from this number on, each whole. */
async function* recordsFrom(
  { path, marks }: GroupFile,
  first: number,
): AsyncGenerator<{ readonly bytes: Buffer; readonly number: number }> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    // Its groups are kept no more since it was looked for.
    throw error.code === 'ENOENT' ? new RangeError(`group ${first} is not kept`) : error
  })
  try {
    const begin = marks.findLast(({ number }) => number <= first)?.at ?? 0
    for (let at = begin; ; ) {
      const { buffer, bytesRead } = await readAt(file, at, READ_BYTES)
      let from = 0
      let length = lengthOfRecordAt(buffer.subarray(0, bytesRead), from)
      while (length !== undefined && from + length <= bytesRead) {
        const bytes = buffer.subarray(from, from + length)
        const number = bytes.readDoubleBE(8)
        if (number >= first) yield { bytes, number }
        from += length
        length = lengthOfRecordAt(buffer.subarray(0, bytesRead), from)
      }
      if (from === 0) {
        // One that is longer than what is read at once, or the end of the file.
        if (length === undefined) return
        const whole = await readAt(file, at, length)
        if (whole.bytesRead < length) return
        const number = whole.buffer.readDoubleBE(8)
        if (number >= first) yield { bytes: whole.buffer, number }
        from = length
      }
      at += from
    }
  } finally {
    await file.close()
  }
}

async function readAt(file: FileHandle, at: number, bytes: number) {
  return await file.read(Buffer.allocUnsafe(bytes), 0, bytes, at)
}
