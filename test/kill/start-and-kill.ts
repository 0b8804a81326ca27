// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))

/** Kills a server while it starts, `ms` after its process began. */
export async function startAndKill(
  dataDirectory: string,
  flags: readonly string[],
  ms: number,
): Promise<void> {
  const args = [MAIN, 'serve', '--port', '0', '--data', dataDirectory, ...flags]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  const ended = once(child, 'close')
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  await ended
  clearTimeout(timer)
}
