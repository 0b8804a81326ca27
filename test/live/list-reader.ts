// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { Frame } from '../server/socket-client.ts'

type Splice = readonly [at: number, deleted: number, rows: readonly unknown[]]

/** The list as of a timestamp, and whether it is only said to be right as of another one. */
export type ToldState = {
  readonly timestamp: number
  readonly text: string
  readonly isProgress: boolean
}

/** What a client makes of the frames of a live result, with every state that it was in. */
export class ListReader {
  #rows: unknown[] = []
  #coming: unknown[] | undefined
  #splices: Splice[] = []
  #timestamp = 0
  #digest: string | undefined
  #history: string | undefined
  #isKnown = false
  #states: ToldState[] = []

  /** With what it subscribes again. */
  get bookmark(): { since?: number; digest?: string; history?: string } {
    if (this.#digest === undefined || this.#history === undefined) return {}
    return { since: this.#timestamp, digest: this.#digest, history: this.#history }
  }

  get text(): string | undefined {
    return this.#isKnown ? JSON.stringify(this.#rows) : undefined
  }

  /** The connection is gone: what has not come whole does not count. */
  cut(): void {
    this.#coming = undefined
    this.#splices = []
  }

  /** The states since the last call. */
  takeStates(): readonly ToldState[] {
    const states = this.#states
    this.#states = []
    return states
  }

  take(frames: readonly Frame[]): void {
    for (const frame of frames) this.#take(frame)
  }

  #take(frame: Frame): void {
    switch (frame.type) {
      case 'subscribed':
        assert.equal(frame.mode, 'result')
        this.#history = frame.history
        if (frame.reset === true || !this.#isKnown) this.#coming = []
        else assert.equal(frame.timestamp, this.#timestamp)
        break
      case 'columns':
        break
      case 'rows':
        assert.ok(this.#coming !== undefined)
        this.#coming.push(...frame.rows)
        break
      case 'snapshotEnd':
        assert.ok(this.#coming !== undefined)
        this.#rows = this.#coming
        this.#coming = undefined
        this.#isKnown = true
        this.#reached(frame)
        break
      case 'patch':
        assert.ok(this.#isKnown && this.#coming === undefined)
        this.#splices.push(...frame.splice)
        if (!frame.last) break
        for (const [at, deleted, rows] of this.#splices) {
          assert.ok(at + deleted <= this.#rows.length, 'a splice is within the list')
          this.#rows.splice(at, deleted, ...rows)
        }
        this.#splices = []
        this.#reached(frame)
        break
      case 'progress':
        this.#reached({ digest: this.#digest, ...frame })
        break
      default:
        assert.fail(`no frame of a live result: ${JSON.stringify(frame)}`)
    }
  }

  #reached({ type, timestamp, digest }: Frame): void {
    assert.ok(timestamp >= this.#timestamp, 'stamps ascend')
    this.#timestamp = timestamp
    this.#digest = digest
    this.#states.push({
      timestamp,
      text: JSON.stringify(this.#rows),
      isProgress: type === 'progress',
    })
  }
}
