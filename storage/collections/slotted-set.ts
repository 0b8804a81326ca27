// SPDX-License-Identifier: Apache-2.0

/** A member of one such set; the set keeps its position in `slot`. */
export type Slotted = { slot: number }

/**
 * A set of objects that come and go with every request, each of which knows its slot: nothing has to be hashed, and no
 * table of a Map outlives what was in it (see `renewed-map.ts`). In no particular order.
 */
export class SlottedSet<Member extends Slotted> {
  readonly #members: Member[] = []

  get size(): number {
    return this.#members.length
  }

  has(member: Member): boolean {
    return this.#members[member.slot] === member
  }

  /** Adds a member that is in no such set. */
  add(member: Member): void {
    member.slot = this.#members.push(member) - 1
  }

  /** Returns whether it was in the set. The last member takes its slot. */
  delete(member: Member): boolean {
    if (!this.has(member)) return false
    const last = this.#members.pop() as Member
    if (last !== member) {
      this.#members[member.slot] = last
      last.slot = member.slot
    }
    return true
  }

  /** Nothing may be deleted meanwhile. */
  [Symbol.iterator](): ArrayIterator<Member> {
    return this.#members.values()
  }
}
