// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))

export type Run = { readonly child: ChildProcess; output(): string; errors(): string }

/** `percolite` in a process of its own, which ends with the test. */
export function run(t: TestContext, ...args: string[]): Run {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  let errors = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    output += chunk
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk
  })
  return { child, output: () => output, errors: () => errors }
}

export async function exitCode({ child }: Run): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  return child.exitCode
}

export function stdoutOf({ child }: Run) {
  return child.stdout as NonNullable<typeof child.stdout>
}

/** Where it listens, as it says itself. */
export async function urlOf(command: Run): Promise<string> {
  const { child, output, errors } = command
  for (;;) {
    const url = /listening on (http:\/\/\S+?)[,\s]/.exec(output())?.[1]
    if (url !== undefined) return url
    assert.equal(child.exitCode, null, errors())
    await Promise.race([once(stdoutOf(command), 'data'), once(child, 'close')])
  }
}
