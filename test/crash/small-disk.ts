// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A file system of its own, which is removed when the test has ended. */
export class SmallDisk {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Of so many KiB, or undefined where this process may not make one. */
  static async mount(t: TestContext, kiB: number): Promise<SmallDisk | undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'percolite-small-'))
    const args = ['-t', 'tmpfs', '-o', `size=${kiB}k`, 'tmpfs', folder]
    const mounted = await run('mount', args).then(
      () => true,
      () => false,
    )
    t.after(async () => {
      if (mounted) await run('umount', ['-l', folder])
      await rm(folder, { recursive: true })
    })
    return mounted ? new SmallDisk(folder) : undefined
  }

  /** Larger, or smaller down to what is on it. */
  async resize(kiB: number): Promise<void> {
    await run('mount', ['-o', `remount,size=${kiB}k`, this.folder])
  }

  /** Leaves room for so many KiB beside what is on it. */
  async leave(kiB: number): Promise<void> {
    const { blocks, bfree, bsize } = await statfs(this.folder)
    await this.resize(((blocks - bfree) * bsize) / 1024 + kiB)
  }
}
