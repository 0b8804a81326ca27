// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { ReplicationFrame } from '../../../storage/operations/replication/primary.ts'
import type { SeededRandomness } from '../../seeded-randomness.ts'
import type { Member } from './member.ts'

type OnItsWay = {
  readonly frame: ReplicationFrame
  /** Where the standby was when it sent the request. */
  readonly after: number
}

const FRAME_BYTES = [1, 400, 4_000, 1_000_000] as const
const LATE_MAX = 4

/**
 * The connection of a standby to its primary, for as long as both processes live. Requests are lost, or arrive late
 * with an old position; frames are lost, late, repeated and cut short.
 */
export class Link {
  readonly #primary: Member
  readonly #standby: Member
  readonly #random: SeededRandomness
  readonly #ended = new AbortController()
  #onTheirWay: OnItsWay[] = []
  #asking = 0
  #applying: Promise<void> = Promise.resolve()
  /** The primary does not keep what follows: the store has to be copied. */
  isLost = false
  hasApplied = false
  /** How often a frame was of no use. */
  unusable = 0

  constructor(primary: Member, standby: Member, random: SeededRandomness) {
    this.#primary = primary
    this.#standby = standby
    this.#random = random
  }

  get state(): object {
    const { isLost, unusable } = this
    return { isLost, unusable, asking: this.#asking, onTheirWay: this.#onTheirWay.length }
  }

  /** Sends a request, which may be lost. */
  ask({ isReliable = false } = {}): void {
    if (this.#asking >= 3 || (!isReliable && this.#random.below(6) === 0)) return
    this.#asking += 1
    void this.#request(isReliable).finally(() => {
      this.#asking -= 1
    })
  }

  /** Lets a frame arrive; waits until it is applied, or only until it is about to be. */
  async deliver({ isReliable = false, waits = true } = {}): Promise<void> {
    const random = this.#random
    const at = isReliable ? 0 : random.below(this.#onTheirWay.length)
    const [found] = this.#onTheirWay.splice(at, 1)
    if (found === undefined || (!isReliable && random.below(6) === 0)) return
    if (!isReliable && random.below(6) === 0 && this.#onTheirWay.length < LATE_MAX) {
      this.#onTheirWay.push(found)
    }
    const cut = !isReliable && random.below(6) === 0
    const applied = this.#applying.then(() => this.#apply(found, cut))
    this.#applying = applied.catch(() => undefined)
    this.#standby.inBackground(applied)
    if (waits) await applied
  }

  /** Both sides find that the connection has ended, and nothing more arrives. */
  end(): void {
    this.#onTheirWay = []
    this.#ended.abort(new Error('The connection has ended.'))
  }

  /** Nothing of it is being applied any more. */
  async settled(): Promise<void> {
    await this.#applying
  }

  async #request(isReliable: boolean): Promise<void> {
    const { standby } = this.#standby
    const after = standby.position
    assert.ok(after !== undefined)
    const { visible } = standby
    const bytesMax = isReliable ? 1_000_000 : (FRAME_BYTES[this.#random.below(4)] as number)
    if (!isReliable && this.#random.below(4) === 0) await turns(this.#random.below(20))
    const { signal } = this.#ended
    try {
      const request = { after, visible, bytesMax, waitMs: this.#random.below(3), signal }
      const frame = await this.#primary.primary.frame(request)
      if (signal.aborted || !this.#primary.isAlive) return
      this.#onTheirWay.push({ frame, after: after.number })
    } catch (error) {
      if (signal.aborted || !this.#primary.isAlive) return
      // A late request may ask for what is gone; the standby believes it only where it is still there.
      assert.equal((error as { code?: string }).code, 'replication_position_lost', String(error))
      if (standby.position?.number === after.number) this.isLost = true
    }
  }

  async #apply({ frame, after }: OnItsWay, isCut: boolean): Promise<void> {
    const { standby, isAlive } = this.#standby
    if (!isAlive || this.#ended.signal.aborted) return
    const whole = Buffer.concat(frame.groups)
    const newest = frame.groups.at(-1)?.length ?? 0
    // Within the last group: a frame that ends where a group does is taken for whole, and its transport knows better.
    const cut = 1 + this.#random.below(Math.max(1, newest - 1))
    const groups = isCut ? whole.subarray(0, Math.max(0, whole.length - cut)) : whole
    const before = standby.position
    const fits = whole.length === 0 || (before?.number === after && groups.length === whole.length)
    try {
      await standby.apply({ ...frame, groups })
      this.hasApplied = true
      assert.ok(fits, `a frame after ${after} was applied after ${before?.number}, cut: ${isCut}`)
      if (whole.length > 0) assert.deepEqual(standby.position, frame.position)
    } catch (error) {
      if (!this.#standby.isAlive) return
      const { kind } = error as { kind?: string }
      if (fits || (kind !== 'invalid' && kind !== 'notApplied')) throw error
      assert.deepEqual(standby.position, before)
      this.unusable += 1
    }
  }
}

export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise(setImmediate)
}
