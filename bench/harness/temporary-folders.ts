// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The folders of one experiment; what was made is removed with it. */
export class TemporaryFolders {
  readonly #parent: string
  readonly #made: string[] = []

  /** `parent` should lie on a real disk: on a memory file system nothing is durable. */
  constructor(parent: string) {
    this.#parent = parent
  }

  async make(name: string): Promise<string> {
    const folder = await mkdtemp(join(this.#parent, `percolite-bench-${name}-`))
    this.#made.push(folder)
    return folder
  }

  async removeAll(): Promise<void> {
    for (const folder of this.#made.splice(0)) await rm(folder, { recursive: true, force: true })
  }
}
