// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream'
import type { Environment } from '../../cli/command.ts'
import { runCommandLine } from '../../cli/run-command-line.ts'

/** Runs `percolite …` in this process, and resolves to what it has written and its exit code. */
export async function percolite(
  args: readonly string[],
  environment: Environment = {},
  input: string | Readable = '',
) {
  let [output, errors] = ['', '']
  const code = await runCommandLine(args, environment, {
    input: typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input,
    output: { write: (text) => (output += text) },
    errors: { write: (text) => (errors += text) },
  })
  return { code, output, errors }
}
