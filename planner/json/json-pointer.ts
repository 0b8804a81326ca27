// SPDX-License-Identifier: Apache-2.0

/** Characters of a JSON pointer that an error names; its beginning and its end are kept. */
const POINTER_CHARACTERS_MAX = 200

/** Where a walk over a JSON text stands, as a JSON pointer (RFC 6901). */
export class JsonPointer {
  readonly #base: string
  /** The name of the member, or the number of the element, that is being read at each level. */
  readonly #steps: Array<string | number> = []

  constructor(base: string) {
    this.#base = base
  }

  open(kind: '{' | '['): void {
    this.#steps.push(kind === '{' ? '' : -1)
  }

  close(): void {
    this.#steps.pop()
  }

  name(name: string): void {
    this.#steps[this.#steps.length - 1] = name
  }

  /** An element of an array has no name: it is counted. */
  beforeValue(): void {
    const last = this.#steps.length - 1
    const step = this.#steps[last]
    if (typeof step === 'number') this.#steps[last] = step + 1
  }

  get pointer(): string {
    let text = this.#base
    for (const step of this.#steps) text += `/${escapedStep(String(step))}`
    if (text.length <= POINTER_CHARACTERS_MAX) return text
    const half = POINTER_CHARACTERS_MAX / 2
    return `${text.slice(0, half)}…${text.slice(-half)}`.toWellFormed()
  }

  toString(): string {
    const { pointer } = this
    return pointer === '' ? 'at its beginning' : `at ${pointer}`
  }
}

/** One step of a JSON pointer. A long name is cut: the place is told, not the whole name. */
export function escapedStep(step: string): string {
  const text = step.length <= POINTER_CHARACTERS_MAX ? step : step.slice(0, POINTER_CHARACTERS_MAX)
  return text.replaceAll('~', '~0').replaceAll('/', '~1')
}
